/** Judges how soon, and how often, clients send a failed request again. */
import { type ClientFinding, finding } from '../finding.ts'
import type { RecordedSession, SessionCall } from './recorded-session.ts'

/** Timers are not exact. */
const tolerance = 0.95
/** Real milliseconds in which a request may already have been on its way when the rejection came. */
const onItsWay = 250

/** Whether it may be one of several concurrent requests, which does not know of the failure yet. */
function wasOnItsWay(call: SessionCall, failed: SessionCall): boolean {
  // Every HTTP request has a host. Over sockets, requests can be reordered, except on one connection.
  const isOverSocket = call.header('host') !== undefined
  const isAfter = call.connection !== undefined && call.connection === failed.connection
  const gap = call.hasReallyWaitedFor(failed)
  return !call.isRetryOfSdk && isOverSocket && !isAfter && gap !== undefined && gap < onItsWay
}

const waitOf = ({ entry }: SessionCall): number | undefined => entry.cause.rejection?.retryAfterMs

/** Retries before the end of the wait that a rejection asked for, and the waits that cannot be checked. */
export function judgeWaits(session: RecordedSession): { findings: ClientFinding[]; unchecked: number } {
  const { mode, speed, moments, calls } = session
  const findings: ClientFinding[] = []
  if (mode === 'auto')
    return { findings, unchecked: calls.filter((call) => waitOf(call) !== undefined).length }
  let unchecked = 0
  const rejections = new Map<string, SessionCall>()
  for (const { call, isEnd } of moments) {
    // Only at the end of a response does the client know of the rejection.
    const isRejection = isEnd && waitOf(call) !== undefined && call.ended === 'completed'
    const identity = isRejection || (!isEnd && rejections.size > 0) ? call.identity : undefined
    if (identity === undefined) continue
    const rejected = rejections.get(identity)
    const wait = rejected && waitOf(rejected)
    const isTooSoon = (waited: number): boolean => wait !== undefined && waited < wait * tolerance
    if (isEnd) {
      // Of several concurrent rejections the first one counts.
      if (rejected === undefined || !isTooSoon(call.hasWaitedFor(rejected))) rejections.set(identity, call)
      continue
    }
    if (rejected === undefined || wait === undefined) continue
    const waited = call.hasWaitedFor(rejected)
    if (isTooSoon(waited)) {
      // An SDK sleeps by real timers, which do not follow the test's virtual clock.
      if ((mode === 'manual' && call.isRetryOfSdk) || wasOnItsWay(call, rejected)) continue
      const { status } = rejected
      const args = { subject: call.name, operation: call.name, status, waited, wait }
      findings.push(finding('ignored-retry-after', args, [rejected, call]))
      // The virtual time of a fast clock passes without a wait.
    } else if (speed > 1 && isTooSoon(call.hasReallyWaitedFor(rejected) ?? 0)) unchecked++
    rejections.delete(identity)
  }
  return { findings, unchecked }
}

export const ignoredRetryAfter = (session: RecordedSession): ClientFinding[] => judgeWaits(session).findings

/** Milliseconds between attempts below which a client does not wait. */
const shortestWait = 100
/** Attempts that are no loop. In `auto`, a client that waits on fake timers looks as if it did not. */
const fewAttempts = 4
const fewAttemptsInAuto = 10

export function hammered({ mode, speed, moments }: RecordedSession): ClientFinding[] {
  const limit = mode === 'auto' ? fewAttemptsInAuto : fewAttempts
  const rows: SessionCall[][] = []
  /** The rows of failures that the next request may continue. */
  const failed = new Map<string, SessionCall[]>()
  /** The rows that open requests continue. */
  const continued = new Map<SessionCall, SessionCall[]>()
  const begin = (call: SessionCall): void => {
    const { identity = '' } = call
    const row = failed.get(identity)
    const last = row?.at(-1)
    if (row === undefined || last === undefined) return
    // The virtual time of a fast clock passes without a wait.
    const virtual = (call.entry.at - last.entry.at) / Math.max(1, speed)
    const hasWaited = Math.max(virtual, call.hasReallyWaitedFor(last) ?? 0) >= shortestWait
    // An SDK sleeps by real timers, which do not follow the test's virtual clock.
    if (!hasWaited && ((mode === 'manual' && call.isRetryOfSdk) || wasOnItsWay(call, last))) return
    failed.delete(identity)
    if (!hasWaited) continued.set(call, row)
  }
  const end = (call: SessionCall): void => {
    const { status, ended } = call
    const isAnswer = ended === 'completed' && status < 400 && !call.isUnreadable
    const identity = ended === 'aborted' || isAnswer ? undefined : call.identity
    if (identity === undefined) return
    const row = continued.get(call) ?? []
    row.push(call)
    if (row.length === 1) rows.push(row)
    // Of several concurrent attempts the longest row counts.
    if ((failed.get(identity)?.length ?? 0) <= row.length) failed.set(identity, row)
  }
  for (const { call, isEnd } of moments) {
    if (isEnd) end(call)
    else if (failed.size > 0) begin(call)
  }
  return rows
    .filter((row) => row.length > limit)
    .map((row) => {
      const { name } = row[0] as SessionCall
      return finding('hammered', { subject: name, operation: name, attempts: row.length }, row)
    })
}
