/**
 * Verifies the requests of a session: journal entries in, a verdict out. The library, the control API and the
 * test runners share it. An evicted entry never counts as a request that did not happen.
 */
import { formatDuration } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { NearRequest, Verdict } from '../generated/control-types.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { createRouter } from '../protocol/router.ts'
import {
  type Comparison,
  comparerOf,
  type NearMiss,
  nearestOf,
  nearMissOfRule,
  type RecalledCall,
  recall,
} from './compare-call.ts'
import type { ParsedPattern } from './read-pattern.ts'
import { createRequestReader, type ParsedRequest } from './read-request.ts'
import { countText, patternText, successText, uncertainty, VerdictText } from './verdict-text.ts'

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
    const { startedAt, entries, otherRules } = evidence
    const scenarioRules = evidence.scenarioRules.map(({ id }) => id)
    // A rule may have been removed since, and an entry may name an override.
    const answered = entries.flatMap(({ cause }) => cause.rule ?? [])
    const rules = [...new Set([...scenarioRules, ...otherRules, ...answered])]
    const request = read(written, { startedAt, scenarioRules, rules })
    return judge(gather(evidence, request, (entry) => recall(entry, router())))
  }
}

interface Compared {
  readonly call: RecalledCall
  readonly comparison: Comparison
}

interface Case {
  readonly evidence: Evidence
  readonly request: ParsedRequest
  readonly text: VerdictText
  /** The requests in the time window. */
  readonly compared: readonly Compared[]
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

function gather(
  evidence: Evidence,
  request: ParsedRequest,
  recallCall: (entry: JournalEntry) => RecalledCall,
): Case {
  const { entries, total, startedAt } = evidence
  const { from, until, span } = request
  const kept = entries
    .filter(({ at }) => (from === undefined || at >= from) && (until === undefined || at < until))
    .map(recallCall)
  // Evicted entries are older than all kept ones.
  const first = entries[0]
  const before = from !== undefined && first !== undefined && from > first.at ? 0 : first?.seq
  const lost = before ?? total
  const compare = comparerOf(request.requests)
  const compared = kept.map((call): Compared => ({ call, comparison: compare(call) }))
  const matching = compared.filter(({ comparison }) => comparison.matches === true).map(({ call }) => call)
  const count = maxWithin(matching.map(timeOf), span)
  return { evidence, request, text: new VerdictText(kept, startedAt), compared, matching, lost, count }
}

function judge(found: Case): Verdict {
  const { request, text, matching, lost, count } = found
  const order = request.inOrder === undefined ? undefined : orderOf(found, request.inOrder)
  const failures = [countFailure(found), order?.failure, othersFailure(found), unusedFailure(found)].filter(
    (failure) => failure !== undefined,
  )
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

function countFailure({ request, text, compared, matching, lost, count }: Case): Failure | undefined {
  const { counts, atLeast, atMost, requests, span } = request
  if (counts === undefined) return undefined
  const unsure = compared.filter(({ comparison }) => comparison.matches === undefined)
  const possible = compared.filter(({ comparison }) => comparison.matches !== false)
  const upperBound = maxWithin(possible.map(timeOfCompared), span) + lost
  if (count >= atLeast && upperBound <= atMost) return undefined
  const decided = upperBound < atLeast || count > atMost
  const missed = compared.filter(({ comparison }) => comparison.matches !== true)
  const nearest = count > atMost ? [] : nearestOf(missed, operationsOf(requests))
  const expected = `${patternText(requests)} ${counts}${text.window(request)}`
  const head = decided
    ? `Expected ${expected}, got ${countText(count)}.`
    : `Inconclusive: expected ${expected}, got ${countText(count)} and possibly ` +
      `${upperBound - count} more${uncertainty(lost, unsure.length)}.`
  return { decided, lines: [head, ...text.list('Matching:', matching), ...text.near(nearest)], nearest }
}

function orderOf(
  { request, text, lost, matching }: Case,
  steps: readonly ParsedPattern[],
): { readonly calls: readonly RecalledCall[]; readonly failure: Failure | undefined } {
  const times = matching.map(timeOf)
  const table = steps.map((step) => matching.map(comparerOf(step)))
  const at = (step: number, place: number): Comparison => table[step]?.[place] as Comparison
  const { places, complete } = matchInOrder(
    steps.length,
    times,
    (step, place) => at(step, place).matches === true,
    request.span,
  )
  const calls = places.map((place) => matching[place] as RecalledCall)
  const expected = `Expected in this order${text.window(request)}: ${steps.map(patternText).join(', then ')}.`
  const failed = (lines: readonly string[]): Failure => ({
    decided: true,
    lines: [expected, ...lines],
    nearest: [],
  })
  if (complete) {
    const others = matching.filter((_, place) => !places.includes(place))
    if (!request.noOthers || others.length === 0) return { calls, failure: undefined }
    return { calls, failure: failed(text.list('Matched, with unexpected extra requests:', others)) }
  }
  const missing = places.length
  const came = calls.map((call, step) => `  ${step + 1}. ${text.call(call)}`)
  if (missing === steps.length)
    return {
      calls,
      failure: failed([...came, `  Matched, but took ${formatDuration(elapsed(places, times))}.`]),
    }
  const last = places.at(-1) ?? -1
  const after = last < 0 ? '' : ` after #${(calls.at(-1) as RecalledCall).entry.seq}`
  const missed = matching.map((call, place): NearMiss => {
    const { differences, distance } = at(missing, place)
    if (place > last) return { call, comparison: { differences, distance } }
    const early = { field: 'order', expected: after.trim(), got: `#${call.entry.seq}` }
    return { call, comparison: { differences: [...differences, early], distance: distance + 1 } }
  })
  const nearest = nearestOf(missed, operationsOf(steps[missing]))
  const unsure = table.flat().filter((one) => one.matches === undefined).length
  const isSure = lost === 0 && unsure === 0
  const lines = [
    expected,
    ...came,
    `  ${missing + 1}. missing: ${patternText(steps[missing])}${after}`,
    ...(isSure ? [] : [`  Inconclusive${uncertainty(lost, unsure)}.`]),
    ...text.near(nearest),
  ]
  return { calls, failure: { decided: isSure, lines, nearest } }
}

function othersFailure({ request, text, compared, lost }: Case): Failure | undefined {
  if (!request.noOthers) return undefined
  const others = compared.filter(({ comparison }) => comparison.matches !== true)
  if (others.length === 0 && lost === 0) return undefined
  if (others.length === 0) {
    const line = `Inconclusive: there may have been other requests${uncertainty(lost, 0)}.`
    return { decided: false, lines: [line], nearest: [] }
  }
  const head = `Expected no requests other than ${patternText(request.requests)}, got ${others.length}.`
  const calls = others.map(({ call }) => call)
  return {
    decided: true,
    lines: [head, ...text.list('Unexpected:', calls)],
    nearest: nearestOf(others, operationsOf(request.requests)),
  }
}

/** The maximum number of unused rules whose closest request is searched. */
const maxExplained = 10

function unusedFailure({ evidence, request, text, compared }: Case): Failure | undefined {
  const answered = new Map(evidence.scenarioRules.map(({ id, answered: count }) => [id, count]))
  const unused = (request.usedRules ?? []).filter((id) => (answered.get(id) ?? 0) === 0)
  if (unused.length === 0) return undefined
  const explained = unused.slice(0, maxExplained).map((id) => {
    const missed = compared.flatMap(({ call }): NearMiss[] => {
      const near = nearMissOfRule(id, call.entry)
      if (near === undefined) return []
      const differences = [{ field: 'rule', expected: id, got: near.why }]
      return [{ call, comparison: { differences, distance: near.distance } }]
    })
    return { id, near: nearestOf(missed, undefined)[0] }
  })
  return {
    decided: true,
    lines: text.unused(unused, explained),
    nearest: explained.flatMap(({ near }) => near ?? []),
  }
}

function operationsOf(pattern: ParsedPattern | undefined): readonly string[] | undefined {
  const operation = pattern?.when.operation
  return operation === undefined ? undefined : [operation].flat()
}

const timeOf = ({ entry }: RecalledCall): number => entry.at
const timeOfCompared = ({ call }: Compared): number => timeOf(call)

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

/** The index of the matching request for each matched step. */
export interface OrderMatch {
  readonly places: readonly number[]
  readonly complete: boolean
}

/**
 * The first match of all steps; with a span, the first within that many milliseconds. Otherwise the match
 * with the most steps, or the quickest complete one. `fits` says whether a request matches a step; `times`
 * must ascend.
 */
export function matchInOrder(
  steps: number,
  times: readonly number[],
  fits: (step: number, place: number) => boolean,
  span?: number,
): OrderMatch {
  let best: readonly number[] = []
  for (let start = 0; start < times.length; start++) {
    if (!fits(0, start)) continue
    // From a given start, the earliest call for each step is never worse than a later one.
    const places = [start]
    for (let place = start + 1; place < times.length && places.length < steps; place++) {
      // It cannot be quicker than the best complete match.
      if (
        best.length === steps &&
        (times[place] as number) - (times[start] as number) >= elapsed(best, times)
      )
        break
      if (fits(places.length, place)) places.push(place)
    }
    if (places.length === steps && (span === undefined || elapsed(places, times) <= span))
      return { places, complete: true }
    if (
      places.length > best.length ||
      (places.length === steps && elapsed(places, times) < elapsed(best, times))
    )
      best = places
    // A later start matches no more steps; it can only be quicker.
    if (span === undefined || best.length < steps) break
  }
  return { places: best, complete: false }
}

/** Milliseconds from the first to the last call. */
export function elapsed(places: readonly number[], times: readonly number[]): number {
  return places.length === 0
    ? 0
    : (times[places.at(-1) as number] as number) - (times[places[0] as number] as number)
}
