/**
 * Verifies the requests of a session: journal entries in, a verdict out. The library, the control API and the
 * test runners share it. An evicted entry never counts as a request that did not happen.
 */
import { lazy } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { NearRequest, Verdict } from '../generated/control-types.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { createRouter } from '../protocol/router.ts'
import {
  type Comparison,
  comparerOf,
  nearestOf,
  nearMissOfRule,
  type RecalledCall,
  recall,
} from './compare-call.ts'
import type { ParsedPattern } from './read-pattern.ts'
import { createRequestReader, type ParsedRequest } from './read-request.ts'
import {
  countText,
  expectations,
  patternText,
  successText,
  uncertainty,
  VerdictText,
} from './verdict-text.ts'

export interface Evidence {
  /** The entries in the journal of the session, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** How many requests it has recorded, including evicted ones. */
  readonly total: number
  /** Virtual milliseconds since the epoch at which the session began. */
  readonly startedAt: number
  /** The rules of the scenarios in use, and how many requests each has answered. */
  readonly scenarioRules: readonly { readonly id: string; readonly answered: number }[]
  /** The ids of overrides. */
  readonly otherRules: readonly string[]
}

/** Verifies requests. Throws `ConfigError` if the verification itself is invalid. */
export type Verifier = (evidence: Evidence, written: unknown) => Verdict

export function createVerifier(vocabulary: Vocabulary): Verifier {
  const read = createRequestReader(vocabulary)
  const router = lazy(() => createRouter(vocabulary.groups))
  return (evidence, written) => {
    const { entries, otherRules } = evidence
    const scenarioRules = evidence.scenarioRules.map(({ id }) => id)
    // A rule may have been removed since, and an entry may name an override.
    const answered = entries.flatMap(({ cause }) => cause.rule ?? [])
    const rules = [...new Set([...scenarioRules, ...otherRules, ...answered])]
    const request = read(written, { scenarioRules, rules })
    const calls = entries.map((entry) => recall(entry, router()))
    return judge(evidence, request, calls)
  }
}

interface Case {
  readonly evidence: Evidence
  readonly request: ParsedRequest
  readonly text: VerdictText
  readonly compared: readonly Comparison[]
  readonly matching: readonly RecalledCall[]
  /** Evicted requests that might have matched. */
  readonly lost: number
  readonly count: number
}

interface Failure {
  readonly decided: boolean
  readonly lines: readonly string[]
  readonly nearest: readonly NearRequest[]
}

function judge(evidence: Evidence, request: ParsedRequest, calls: readonly RecalledCall[]): Verdict {
  // Evicted entries are older than all kept ones.
  const lost = evidence.entries[0]?.seq ?? evidence.total
  const compared = calls.map(comparerOf(request.requests))
  const matching = compared.filter(({ matches }) => matches === true).map(({ call }) => call)
  const count = maxWithin(matching.map(timeOf), request.span)
  const text = new VerdictText(calls, evidence.startedAt)
  const found: Case = { evidence, request, text, compared, matching, lost, count }

  const { count: counted, order: ordered, others, rules } = expectations(request)
  const order = request.inOrder && orderOf(found, request.inOrder, `Expected ${ordered}.`)
  const failures = [
    counted && countFailure(found, counted),
    order?.failure,
    others && othersFailure(found, others),
    rules && unusedFailure(found),
  ].filter((failure) => typeof failure === 'object')
  const ok = failures.length === 0
  return {
    ok,
    decided: ok || failures.some(({ decided }) => decided),
    message: ok
      ? successText(request, count)
      : [...failures.flatMap(({ lines }) => lines), text.seen(lost)].join('\n'),
    count,
    matched: (order?.calls ?? matching).map(({ entry }) => entry.seq),
    nearest: failures.flatMap(({ nearest }) => nearest),
  }
}

function countFailure(found: Case, expected: string): Failure | undefined {
  const { request, text, compared, matching, lost, count } = found
  const { atLeast, atMost } = request.counts as NonNullable<ParsedRequest['counts']>
  const possible = compared.filter(({ matches }) => matches !== false).map(({ call }) => call)
  const upperBound = maxWithin(possible.map(timeOf), request.span) + lost
  if (count >= atLeast && upperBound <= atMost) return undefined
  const decided = upperBound < atLeast || count > atMost
  const nearest = count > atMost ? [] : nearestOf(compared.filter(({ matches }) => matches !== true))
  const unsure = uncertainty(lost, possible.length - matching.length)
  const head = decided
    ? `Expected ${expected}, got ${countText(count)}.`
    : `Inconclusive: expected ${expected}, got ${countText(count)} and possibly ${upperBound - count} ` +
      `more${unsure}.`
  return { decided, lines: [head, ...text.list('Matching:', matching), ...text.near(nearest)], nearest }
}

interface Order {
  readonly calls: readonly RecalledCall[]
  readonly failure: Failure | undefined
}

function orderOf(found: Case, steps: readonly ParsedPattern[], expected: string): Order {
  const { request, text, lost, matching } = found
  const table = steps.map((step) => matching.map(comparerOf(step)))
  // The earliest call for each step is never worse than a later one.
  const calls: RecalledCall[] = []
  for (const [place, call] of matching.entries())
    if (table[calls.length]?.[place]?.matches === true) calls.push(call)
  if (calls.length === steps.length) {
    const others = matching.filter((call) => !calls.includes(call))
    if (!request.noOthers || others.length === 0) return { calls, failure: undefined }
    const lines = [expected, ...text.list('Matched, with unexpected extra requests:', others)]
    return { calls, failure: { decided: true, lines, nearest: [] } }
  }

  const missing = calls.length
  const last = calls.at(-1)?.entry.seq
  const after = last === undefined ? '' : ` after #${last}`
  const missed = (table[missing] ?? []).map((one): Comparison => {
    const { seq } = one.call.entry
    if (last === undefined || seq > last) return one
    const early = { field: 'order', expected: after.trim(), got: `#${seq}` }
    return { ...one, differences: [...one.differences, early], distance: one.distance + 1 }
  })
  const nearest = nearestOf(missed)
  const unsure = table.flat().filter(({ matches }) => matches === undefined).length
  const decided = lost === 0 && unsure === 0
  const lines = [
    expected,
    ...calls.map((call, step) => `  ${step + 1}. ${text.call(call)}`),
    `  ${missing + 1}. missing: ${patternText(steps[missing])}${after}`,
    ...(decided ? [] : [`  Inconclusive${uncertainty(lost, unsure)}.`]),
    ...text.near(nearest),
  ]
  return { calls, failure: { decided, lines, nearest } }
}

function othersFailure({ text, compared, lost }: Case, expected: string): Failure | undefined {
  const others = compared.filter(({ matches }) => matches !== true)
  if (others.length > 0) {
    const calls = others.map(({ call }) => call)
    const lines = [`Expected ${expected}, got ${others.length}.`, ...text.list('Unexpected:', calls)]
    return { decided: true, lines, nearest: nearestOf(others) }
  }
  if (lost === 0) return undefined
  const line = `Inconclusive: there may have been other requests${uncertainty(lost, 0)}.`
  return { decided: false, lines: [line], nearest: [] }
}

/** The maximum number of unused rules whose closest request is searched. */
const maxExplained = 10

function unusedFailure({ evidence, request, text, compared }: Case): Failure | undefined {
  const answered = new Map(evidence.scenarioRules.map(({ id, answered: count }) => [id, count]))
  const unused = (request.usedRules ?? []).filter((id) => (answered.get(id) ?? 0) === 0)
  if (unused.length === 0) return undefined
  const calls = compared.map(({ call }) => call)
  const explained = unused.slice(0, maxExplained).map((id) => ({ id, near: nearMissOfRule(id, calls) }))
  const have = unused.length === 1 ? 'A rule has' : `${unused.length} rules have`
  return {
    decided: true,
    lines: [
      `${have} not responded to any request: ${unused.join(', ')}.`,
      ...explained.map(({ id, near }) => text.unused(id, near)),
    ],
    nearest: explained.flatMap(({ near }) => near ?? []),
  }
}

const timeOf = ({ entry }: RecalledCall): number => entry.at

/** The maximum number of `times` in any window of `span` milliseconds, ends included. `times` must ascend. */
export function maxWithin(times: readonly number[], span: number | undefined): number {
  if (span === undefined) return times.length
  let max = 0
  let first = 0
  for (const [last, time] of times.entries()) {
    while (time - (times[first] as number) > span) first++
    max = Math.max(max, last - first + 1)
  }
  return max
}
