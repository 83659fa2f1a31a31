/**
 * Whether the calls of a session were as they had to be. Pure: the journal's entries in, a verdict out; the
 * library, the control API and the test runners all ask here. What the journal no longer holds is never taken
 * for something that did not happen.
 */
import type { JournalEntry } from '../engine/journal-entry.ts'
import { lazy } from '../engine/lazy.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { createRouter } from '../protocol/router.ts'
import { type RecalledCall, recall } from './call-facts.ts'
import { type Comparison, comparerOf } from './compare-call.ts'
import { mostWithin } from './count-calls.ts'
import { type Missed, nearestOf } from './nearest-calls.ts'
import { lengthOf, passThrough } from './order-calls.ts'
import { createRequestReader, type ReadRequest } from './read-request.ts'
import type { NearCall, Verdict } from './request.ts'
import * as say from './say.ts'

/** What is looked at. */
export interface Evidence {
  /** The entries that the journal of the session keeps, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** How many calls it has ever taken, kept or not. */
  readonly total: number
  /** Virtual milliseconds since the epoch at which the session began. */
  readonly startedAt: number
}

/** One statement of a request that does not hold. */
interface Failure {
  /** Whether it is sure not to hold. */
  readonly decided: boolean
  readonly message: string
  readonly nearest: readonly NearCall[]
}

interface Compared {
  readonly call: RecalledCall
  readonly comparison: Comparison
}

/** Judges calls. Throws `ConfigError` when the request itself is wrong. */
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
  request: ReadRequest,
  recallCall: (entry: JournalEntry) => RecalledCall,
): Verdict {
  const { from, until } = request
  const { entries, total } = evidence
  const kept = entries
    .filter(({ at }) => (from === undefined || at >= from) && (until === undefined || at < until))
    .map(recallCall)
  // What was dropped is older than all that is kept.
  const first = entries[0]
  const lost = first === undefined ? total : from !== undefined && from > first.at ? 0 : first.seq

  const compare = comparerOf(request.calls)
  const compared = kept.map((call): Compared => ({ call, comparison: compare(call) }))
  const met = compared.filter(({ comparison }) => comparison.met === true)
  const count = mostWithin(met.map(timeOf), request.span)
  const looked: Looked = { evidence, kept, compared, met: met.map(({ call }) => call), lost, count }
  const order = request.inOrder === undefined ? undefined : orderOf(looked, request, request.inOrder)
  const failures = [countFailure(looked, request), order?.failure, othersFailure(looked, request)].filter(
    (failure) => failure !== undefined,
  )
  const ok = failures.length === 0
  return {
    ok,
    decided: ok || failures.some(({ decided }) => decided),
    message: ok
      ? say.held(request, count)
      : [...failures.map(({ message }) => message), say.seen(kept, evidence.startedAt, lost)].join('\n'),
    count,
    matched: (order?.calls ?? looked.met).map(({ entry }) => entry.seq),
    nearest: failures.flatMap(({ nearest }) => nearest),
  }
}

/** What was found before anything is judged. */
interface Looked {
  readonly evidence: Evidence
  readonly kept: readonly RecalledCall[]
  readonly compared: readonly Compared[]
  readonly met: readonly RecalledCall[]
  /** Calls that the journal has dropped and that might have counted. */
  readonly lost: number
  readonly count: number
}

function countFailure(
  { evidence, compared, met, lost, count }: Looked,
  request: ReadRequest,
): Failure | undefined {
  const { counts, atLeast, atMost, calls, span } = request
  if (counts === undefined) return undefined
  const unsure = compared.filter(({ comparison }) => comparison.met === undefined)
  const most =
    mostWithin(compared.filter(({ comparison }) => comparison.met !== false).map(timeOf), span) + lost
  if (count >= atLeast && most <= atMost) return undefined
  const tooFew = most < atLeast
  const decided = tooFew || count > atMost
  const missed = compared.filter(({ comparison }) => comparison.met !== true).map(missedBy)
  const nearest = count > atMost ? [] : nearestOf(missed, operationsOf(calls))
  const wanted = say.wanted(calls, counts, request, evidence.startedAt)
  const head = decided
    ? `Expected ${wanted}, got ${say.got(count)}.`
    : [
        `Whether ${wanted} came cannot be told: got ${say.got(count)} for sure, and perhaps ${most - count}`,
        `more${say.why(lost, unsure.length)}.`,
      ].join(' ')
  return {
    decided,
    message: [
      head,
      ...say.list('These count:', met, evidence.startedAt),
      ...say.near(
        nearest,
        compared.map(({ call }) => call),
        evidence.startedAt,
      ),
    ].join('\n'),
    nearest,
  }
}

function orderOf(
  looked: Looked,
  request: ReadRequest,
  steps: NonNullable<ReadRequest['inOrder']>,
): { readonly calls: readonly RecalledCall[]; readonly failure: Failure | undefined } {
  const { evidence, lost, met } = looked
  const { span, noOthers } = request
  const times = met.map(({ entry }) => entry.at)
  const table = steps.map((step) => met.map(comparerOf(step)))
  const at = (step: number, place: number): Comparison => table[step]?.[place] as Comparison
  const { places, complete } = passThrough(
    steps.length,
    times,
    (step, place) => at(step, place).met === true,
    span,
  )
  const calls = places.map((place) => met[place] as RecalledCall)
  const lines = [
    [
      `Expected in this order${say.inTime(request, evidence.startedAt)}:`,
      `${steps.map(say.pattern).join(', then ')}.`,
    ].join(' '),
  ]
  if (complete) {
    if (!noOthers || places.length === met.length) return { calls, failure: undefined }
    const others = met.filter((_, place) => !places.includes(place))
    return {
      calls,
      failure: {
        decided: true,
        message: [
          ...lines,
          ...say.list('It came, and with it calls that nobody expected:', others, evidence.startedAt),
        ].join('\n'),
        nearest: [],
      },
    }
  }
  lines.push(...calls.map((call, step) => `  ${step + 1}. ${say.call(call, evidence.startedAt)}`))
  const missing = places.length
  if (missing === steps.length) {
    lines.push(`  It came, but took ${say.duration(lengthOf(places, times))}.`)
    return { calls, failure: { decided: true, message: lines.join('\n'), nearest: [] } }
  }
  const last = places.at(-1) ?? -1
  const after = last < 0 ? undefined : `after #${(calls.at(-1) as RecalledCall).entry.seq}`
  lines.push(
    `  ${missing + 1}. missing: ${say.pattern(steps[missing])}${after === undefined ? '' : ` ${after}`}`,
  )
  const missed = met.map((call, place): Missed => {
    const { differences } = at(missing, place)
    return {
      call,
      differences:
        place > last
          ? differences
          : [...differences, { field: 'order', expected: after as string, got: `#${call.entry.seq}` }],
    }
  })
  const nearest = nearestOf(missed, operationsOf(steps[missing]))
  const unsure = table.flat().filter((one) => one.met === undefined).length
  if (lost > 0 || unsure > 0) lines.push(`  This cannot be told for sure${say.why(lost, unsure)}.`)
  return {
    calls,
    failure: {
      decided: lost === 0 && unsure === 0,
      message: [...lines, ...say.near(nearest, met, evidence.startedAt)].join('\n'),
      nearest,
    },
  }
}

function othersFailure(
  { evidence, compared, lost }: Looked,
  { noOthers, calls }: ReadRequest,
): Failure | undefined {
  if (!noOthers) return undefined
  const others = compared.filter(({ comparison }) => comparison.met !== true)
  if (others.length === 0 && lost === 0) return undefined
  if (others.length === 0)
    return {
      decided: false,
      message: `Whether there were other calls cannot be told${say.why(lost, 0)}.`,
      nearest: [],
    }
  const nearest = nearestOf(others.map(missedBy), operationsOf(calls))
  return {
    decided: true,
    message: [
      `Expected no calls beside ${say.pattern(calls)}, got ${others.length}.`,
      ...say.list(
        'These were not expected:',
        others.map(({ call }) => call),
        evidence.startedAt,
      ),
    ].join('\n'),
    nearest,
  }
}

function operationsOf(pattern: ReadRequest['calls']): readonly string[] | undefined {
  const operation = pattern?.when.operation
  return operation === undefined ? undefined : [operation].flat()
}

const timeOf = ({ call }: Compared): number => call.entry.at
const missedBy = ({ call, comparison: { differences } }: Compared): Missed => ({ call, differences })
