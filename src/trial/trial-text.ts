/** Formats the results of a trial in a test. */
import { counted, textTable } from '../text/printable.ts'
import type { VerdictName } from './judge.ts'
import type { TrialResult } from './try-failures.ts'

/**
 * A table of the runs that are not acceptable, with the reason for each verdict, and the count of verdicts.
 *
 * @example
 * const results = await tryFailures(({ sim }) => answer(new OpenAI(sim.sdk.openai())))
 * assert.ok(results.every(({ acceptable }) => acceptable), trialText(results))
 */
export function trialText(results: readonly TrialResult[]): string {
  return trialTextOf(results, 'acceptable', ({ acceptable }) => acceptable)
}

/** The same for another expectation. `expected` is an adjective, such as `acceptable`. */
export function trialTextOf(
  results: readonly TrialResult[],
  expected: string,
  isExpected: (result: TrialResult) => boolean,
): string {
  const bad = results.filter((result) => !isExpected(result))
  const summary = `${counted(results.length, 'run')}: ${verdictsText(results)}; ${bad.length} not ${expected}`
  return bad.length === 0 ? summary : `${tableOf(bad)}\n${bad.map(reasonOf).join('\n')}\n\n${summary}`
}

function tableOf(results: readonly TrialResult[]): string {
  const rows = results.map(({ operation, failure, nth, verdict, half }) => [
    operation,
    failure,
    nth === undefined ? 'every' : String(nth),
    half ? `${verdict}, partial text` : verdict,
  ])
  return textTable(['operation', 'failure', 'request', 'verdict'], rows)
}

const reasonOf = ({ title, what, reason, evidence }: TrialResult): string =>
  `${title}\n  ${what}\n  ${reason}${evidenceText(evidence)}`

/** `8 recovered, 4 gave up`. */
export function verdictsText(results: readonly { readonly verdict: VerdictName }[]): string {
  const counts = new Map<VerdictName, number>()
  for (const { verdict } of results) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  return [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')
}

const maxCalls = 5

/** ` See request 0.`, after a reason; empty without evidence. */
export function evidenceText(evidence: readonly number[]): string {
  if (evidence.length === 0) return ''
  const more = evidence.length > maxCalls ? ', …' : ''
  return ` See request${evidence.length === 1 ? '' : 's'} ${evidence.slice(0, maxCalls).join(', ')}${more}.`
}
