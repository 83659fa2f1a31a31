/** What prompts say is read in time proportional to their length, however they are made. */
import { expect, it } from 'vitest'
import { post, simulator } from '../_setup.ts'

const openings = [
  '',
  'Say "',
  'Return JSON with keys ',
  'Reply with exactly: ',
  'Reply with one of: ',
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

it.each(openings)('%j and 100,000 characters of anything', async (opening) => {
  const sim = simulator()
  const ask = (content: string) =>
    post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content }] })
  await ask('hello')
  for (const motif of motifs) {
    const before = process.cpuUsage()
    await ask(`${opening}${motif.repeat(Math.ceil(100_000 / motif.length))} end`)
    const { user, system } = process.cpuUsage(before)
    // Quadratic reading took ten seconds and more.
    expect((user + system) / 1000, motif).toBeLessThan(2000)
  }
})

it('arguments of every kind from anything', async () => {
  const sim = simulator()
  const properties = Object.fromEntries(
    'expression path url order_id key value city address timezone message subject product command sql pattern'
      .split(' ')
      .map((name) => [name, { type: 'string' }]),
  )
  const tool = { type: 'function', function: { name: 'do_it', parameters: { type: 'object', properties } } }
  const ask = (content: string) =>
    post(sim, '/v1/chat/completions', {
      model: 'gpt-4o',
      messages: [{ role: 'user', content }],
      tools: [tool],
      tool_choice: 'required',
    })
  await ask('hello')
  for (const motif of [
    ...motifs,
    '( ',
    '1+',
    '(1+',
    'a, b and c ',
    'set a to b ',
    '12 Main St, ',
    'a/',
    'Tell Bob ',
  ]) {
    const before = process.cpuUsage()
    await ask(`${motif.repeat(Math.ceil(100_000 / motif.length))} end`)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000, motif).toBeLessThan(3000)
  }
})
