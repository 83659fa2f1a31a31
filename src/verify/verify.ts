/**
 * Verifies the calls of a session: journal entries in, a verdict out. The library, the control API and the
 * test runners share it. A call that the journal no longer keeps is never taken for one that did not happen.
 */
import type { JournalEntry } from '../engine/journal-entry.ts'
import { lazy } from '../engine/lazy.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { createRouter } from '../protocol/router.ts'
import { type RecalledCall, recall } from './call-facts.ts'
import { type Comparison, comparerOf } from './compare-call.ts'
import { maxWithin } from './count-calls.ts'
import { type NearMiss, nearestOf } from './nearest-calls.ts'
import { elapsed, matchInOrder } from './order-calls.ts'
import { createRequestReader, type ParsedRequest } from './read-request.ts'
import type { NearCall, Verdict } from './request.ts'
import * as words from './verdict-text.ts'

/** What to verify against. */
export interface Evidence {
  /** The entries that the journal of the session keeps, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** How many calls it has recorded, kept or not. */
  readonly total: number
  /** Virtual milliseconds since the epoch at which the session began. */
  readonly startedAt: number
}

/** A statement of the request that does not hold. */
interface Failure {
  /** Whether that is certain. */
  readonly decided: boolean
  readonly message: string
  readonly nearest: readonly NearCall[]
}

interface Compared {
  readonly call: RecalledCall
  readonly comparison: Comparison
}

/** Verifies calls. Throws `ConfigError` when the request itself is wrong. */
export type Verifier = (evidence: Evidence, written: unknown) => Verdict

/** A verifier of calls of these operations. */
export function createVerifier(vocabulary: Vocabulary): Verifier {
  const read = createRequestReader(vocabulary)
  const router = lazy(() => createRouter(vocabulary.groups))
  return (evidence, written) =>
    judge(evidence, read(written, evidence.startedAt), (entry) => recall(entry, router()))
}

function judge(
  evidence: Evidence,
  request: ParsedRequest,
  recallCall: (entry: JournalEntry) => RecalledCall,
): Verdict {
  const { from, until } = request
  const { entries, total } = evidence
  const kept = entries
    .filter(({ at }) => (from === undefined || at >= from) && (until === undefined || at < until))
    .map(recallCall)
  // Dropped entries are older than all kept ones.
  const first = entries[0]
  const lost = first === undefined ? total : from !== undefined && from > first.at ? 0 : first.seq

  const compare = comparerOf(request.calls)
  const compared = kept.map((call): Compared => ({ call, comparison: compare(call) }))
  const matching = compared.filter(({ comparison }) => comparison.matches === true)
  const count = maxWithin(matching.map(timeOf), request.span)
  const matches: Matches = {
    evidence,
    kept,
    compared,
    matching: matching.map(({ call }) => call),
    lost,
    count,
  }
  const order = request.inOrder === undefined ? undefined : orderOf(matches, request, request.inOrder)
  const failures = [countFailure(matches, request), order?.failure, othersFailure(matches, request)].filter(
    (failure) => failure !== undefined,
  )
  const ok = failures.length === 0
  return {
    ok,
    decided: ok || failures.some(({ decided }) => decided),
    message: ok
      ? words.success(request, count)
      : [...failures.map(({ message }) => message), words.seenLine(kept, evidence.startedAt, lost)].join(
          '\n',
        ),
    count,
    matched: (order?.calls ?? matches.matching).map(({ entry }) => entry.seq),
    nearest: failures.flatMap(({ nearest }) => nearest),
  }
}

/** The calls that match, before anything is judged. */
interface Matches {
  readonly evidence: Evidence
  readonly kept: readonly RecalledCall[]
  readonly compared: readonly Compared[]
  readonly matching: readonly RecalledCall[]
  /** Calls that the journal has dropped and that might have matched. */
  readonly lost: number
  readonly count: number
}

function countFailure(
  { evidence, compared, matching, lost, count }: Matches,
  request: ParsedRequest,
): Failure | undefined {
  const { counts, atLeast, atMost, calls, span } = request
  if (counts === undefined) return undefined
  const unsure = compared.filter(({ comparison }) => comparison.matches === undefined)
  const upperBound =
    maxWithin(compared.filter(({ comparison }) => comparison.matches !== false).map(timeOf), span) + lost
  if (count >= atLeast && upperBound <= atMost) return undefined
  const tooFew = upperBound < atLeast
  const decided = tooFew || count > atMost
  const missed = compared.filter(({ comparison }) => comparison.matches !== true).map(nearMissOf)
  const nearest = count > atMost ? [] : nearestOf(missed, operationsOf(calls))
  const expectation = words.expectation(calls, counts, request, evidence.startedAt)
  const head = decided
    ? `Expected ${expectation}, got ${words.countText(count)}.`
    : [
        `Whether ${expectation} came cannot be told: got ${words.countText(count)} for sure, and`,
        `perhaps ${upperBound - count} more${words.uncertainty(lost, unsure.length)}.`,
      ].join(' ')
  return {
    decided,
    message: [
      head,
      ...words.callLines('These count:', matching, evidence.startedAt),
      ...words.nearestLines(
        nearest,
        compared.map(({ call }) => call),
        evidence.startedAt,
      ),
    ].join('\n'),
    nearest,
  }
}

function orderOf(
  looked: Matches,
  request: ParsedRequest,
  steps: NonNullable<ParsedRequest['inOrder']>,
): { readonly calls: readonly RecalledCall[]; readonly failure: Failure | undefined } {
  const { evidence, lost, matching } = looked
  const { span, noOthers } = request
  const times = matching.map(({ entry }) => entry.at)
  const table = steps.map((step) => matching.map(comparerOf(step)))
  const at = (step: number, place: number): Comparison => table[step]?.[place] as Comparison
  const { places, complete } = matchInOrder(
    steps.length,
    times,
    (step, place) => at(step, place).matches === true,
    span,
  )
  const calls = places.map((place) => matching[place] as RecalledCall)
  const lines = [
    [
      `Expected in this order${words.windowText(request, evidence.startedAt)}:`,
      `${steps.map(words.patternText).join(', then ')}.`,
    ].join(' '),
  ]
  if (complete) {
    if (!noOthers || places.length === matching.length) return { calls, failure: undefined }
    const others = matching.filter((_, place) => !places.includes(place))
    return {
      calls,
      failure: {
        decided: true,
        message: [
          ...lines,
          ...words.callLines('It came, and with it calls that nobody expected:', others, evidence.startedAt),
        ].join('\n'),
        nearest: [],
      },
    }
  }
  lines.push(...calls.map((call, step) => `  ${step + 1}. ${words.callLine(call, evidence.startedAt)}`))
  const missing = places.length
  if (missing === steps.length) {
    lines.push(`  It came, but took ${words.duration(elapsed(places, times))}.`)
    return { calls, failure: { decided: true, message: lines.join('\n'), nearest: [] } }
  }
  const last = places.at(-1) ?? -1
  const after = last < 0 ? '' : ` after #${(calls.at(-1) as RecalledCall).entry.seq}`
  lines.push(`  ${missing + 1}. missing: ${words.patternText(steps[missing])}${after}`)
  const missed = matching.map((call, place): NearMiss => {
    const { differences } = at(missing, place)
    return {
      call,
      differences:
        place > last
          ? differences
          : [...differences, { field: 'order', expected: after.trim(), got: `#${call.entry.seq}` }],
    }
  })
  const nearest = nearestOf(missed, operationsOf(steps[missing]))
  const unsure = table.flat().filter((one) => one.matches === undefined).length
  if (lost > 0 || unsure > 0) lines.push(`  This cannot be told for sure${words.uncertainty(lost, unsure)}.`)
  return {
    calls,
    failure: {
      decided: lost === 0 && unsure === 0,
      message: [...lines, ...words.nearestLines(nearest, matching, evidence.startedAt)].join('\n'),
      nearest,
    },
  }
}

function othersFailure(
  { evidence, compared, lost }: Matches,
  { noOthers, calls }: ParsedRequest,
): Failure | undefined {
  if (!noOthers) return undefined
  const others = compared.filter(({ comparison }) => comparison.matches !== true)
  if (others.length === 0 && lost === 0) return undefined
  if (others.length === 0)
    return {
      decided: false,
      message: `Whether there were other calls cannot be told${words.uncertainty(lost, 0)}.`,
      nearest: [],
    }
  const nearest = nearestOf(others.map(nearMissOf), operationsOf(calls))
  return {
    decided: true,
    message: [
      `Expected no calls beside ${words.patternText(calls)}, got ${others.length}.`,
      ...words.callLines(
        'These were not expected:',
        others.map(({ call }) => call),
        evidence.startedAt,
      ),
    ].join('\n'),
    nearest,
  }
}

function operationsOf(pattern: ParsedRequest['calls']): readonly string[] | undefined {
  const operation = pattern?.when.operation
  return operation === undefined ? undefined : [operation].flat()
}

const timeOf = ({ call }: Compared): number => call.entry.at
const nearMissOf = ({ call, comparison: { differences } }: Compared): NearMiss => ({ call, differences })
