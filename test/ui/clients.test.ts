/** The sentence above the findings. */
import { expect, it } from 'vitest'
import { summaryOf } from '../../src/ui/client-summary.ts'

it('counts findings by severity, and requests', () => {
  const report = { ok: false, requests: 14, errors: 2, warnings: 0, hints: 1, findings: [], more: 0 }
  expect(summaryOf(report)).toBe('2 errors, 1 hint in 14 requests.')
  expect(summaryOf({ ...report, requests: 1, errors: 0, hints: 0 })).toBe('No findings in 1 request.')
})
