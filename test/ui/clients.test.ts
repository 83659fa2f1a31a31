/** The sentence above the findings, and the rejected requests. */
import { expect, it } from 'vitest'
import type { LiveCall } from '../../src/generated/control-types.ts'
import { createSimulator } from '../../src/index.ts'
import { rejectedIn, summaryOf } from '../../src/ui/client-summary.ts'
import { jsonCall } from '../_setup.ts'

it('counts findings by severity, and requests', () => {
  const report = { ok: false, requests: 14, errors: 2, warnings: 0, hints: 1, findings: [], more: 0 }
  expect(summaryOf(report)).toBe('2 errors, 1 hint in 14 requests.')
  expect(summaryOf({ ...report, requests: 1, errors: 0, hints: 0 })).toBe('No findings in 1 request.')
})

it('groups what the service rejected by reason, without what rules and faults rejected', async () => {
  const sim = createSimulator()
  const chat = (more: object) =>
    sim.fetch('/v1/chat/completions', jsonCall({ model: 'gpt-4o', messages: [], ...more }))
  await chat({ messages: [{ role: 'user', content: 'Hello' }] })
  for (const temperature of [3, 9, 9]) await chat({ messages: [{ role: 'user', content: 'x' }], temperature })
  await sim.fetch('/v1/videos', jsonCall({}, { authorization: '' }))
  await sim.fetch('/v1/chat/completionz', { method: 'POST' })
  sim.overrides.add({ fault: 'overloaded' })
  await chat({ messages: [{ role: 'user', content: 'Hello' }] })
  const { entries } = (await (await sim.fetch('/__sim/journal')).json()) as { entries: readonly LiveCall[] }
  const seqs = (session: string) => rejectedIn(entries, session).map((group) => group.map(({ seq }) => seq))
  expect(seqs('default')).toEqual([[2, 3], [1], [4], [5]])
  expect(seqs('other')).toEqual([])
})
