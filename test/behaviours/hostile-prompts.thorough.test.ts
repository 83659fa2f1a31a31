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
