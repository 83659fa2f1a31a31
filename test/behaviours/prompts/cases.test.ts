/** Prompts with tools as people write them to agents: how many are answered as by a careful agent. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { type PromptCase, playCase } from './play-case.ts'

// What was reached: `right` counts the tools alone.
it.each([
  ['seen-1', { right: 114, whole: 99 }],
  ['seen-2', { right: 94, whole: 87 }],
  ['seen-3', { right: 106, whole: 84 }],
  ['seen-4', { right: 52, whole: 41 }],
  ['seen-5', { right: 83, whole: 55 }],
  // Nobody has tuned the reader for these.
  ['sealed', { right: 94, whole: 77 }],
])('of %s at least %o', async (set, least) => {
  const file = join(import.meta.dirname, `cases/${set}.jsonl`)
  const reached = { right: 0, whole: 0 }
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { right, whole } = await playCase(createSimulator(), JSON.parse(line) as PromptCase)
    reached.right += Number(right)
    reached.whole += Number(whole)
  }
  expect(reached.right).toBeGreaterThanOrEqual(least.right)
  expect(reached.whole).toBeGreaterThanOrEqual(least.whole)
})
