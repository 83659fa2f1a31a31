/**
 * Eight times the prompt takes at most about eight times the work, whatever it is made of. What a regular
 * expression does inside is not counted: one that compares everything with everything ends the test by its
 * time.
 */
import { expect, it } from 'vitest'
import { countBlocks } from '../_work.ts'

const blocksRun = await countBlocks()
const { post, simulator } = await import('../_setup.ts')

const openings = [
  '',
  'Say "',
  'Return JSON with keys ',
  'Reply with exactly: ',
  'Reply with one of: ',
  'Return {',
  'My name is ',
]
const motifs = [
  'a',
  ' ',
  '\n',
  '\t ',
  '"',
  "'",
  '`',
  '{',
  '[',
  '(',
  ':',
  ',',
  '.',
  '1',
  'A ',
  "'a",
  '"a", ',
  'a or ',
  '{"a":',
  '```\n',
]

const toolMotifs = [
  '( ',
  '1+',
  '(1+',
  'a, b and c ',
  'set a to b ',
  '12 Main St, ',
  'a/',
  'Tell Bob ',
  'to ',
  'A & ',
]

/**
 * Asks with an opening and so many characters of each motif, and compares the work of eight times as many.
 */
async function expectLinear(opening: string, motifs: readonly string[], more: object): Promise<void> {
  const sim = simulator()
  const ask = (motif: string, length: number) => {
    const content = `${opening}${motif.repeat(Math.ceil(length / motif.length))} end`
    const messages = [{ role: 'user', content }]
    return post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages, ...more })
  }
  for (const motif of motifs) {
    await ask(motif, 100)
    const short = await blocksRun(() => ask(motif, 12_500))
    const long = await blocksRun(() => ask(motif, 100_000))
    expect(long, motif).toBeLessThan(10 * short)
  }
}

it.each(openings)('%j and 100,000 characters of anything', (opening) => expectLinear(opening, motifs, {}))

it('arguments of every kind from anything', async () => {
  const properties = Object.fromEntries(
    'expression path url order_id key value city address timezone message subject product command sql pattern'
      .split(' ')
      .map((name) => [name, { type: 'string' }]),
  )
  const tool = { type: 'function', function: { name: 'do_it', parameters: { type: 'object', properties } } }
  await expectLinear('', [...motifs, ...toolMotifs], { tools: [tool], tool_choice: 'required' })
})
