/** Judges how clients submit jobs, wait for them and use their results. */
import { type ClientFinding, finding } from '../finding.ts'
import { type Job, type JobRef, jobKey, type RecordedSession, type SessionCall } from './recorded-session.ts'

/** Submissions sent again although the rejection had named the job. */
export function resubmittedKnownJob(session: RecordedSession): ClientFinding[] {
  const isOpen = ({ status, ended, responseText }: SessionCall, { id }: JobRef): boolean =>
    status >= 400 && ended === 'completed' && responseText?.includes(id) === true
  return submittedAgain(session, isOpen).map(({ call, first, job: { kind, id } }) => {
    const poll = kind.pollRoute(id)
    const { status } = first
    return finding('resubmitted-known-job', { subject: id, noun: kind.noun, status, poll }, [first, call])
  })
}

/** Submissions sent again because the client did not learn of the first job. */
export function retriedCreate(session: RecordedSession): ClientFinding[] {
  const isOpen = (call: SessionCall, { id }: JobRef): boolean => {
    const { ended, status, responseText } = call
    if (ended !== 'completed' || status === 0 || call.isUnreadable) return true
    return status >= 400 && responseText?.includes(id) !== true
  }
  return submittedAgain(session, isOpen).map(({ call, first, job: { kind, id } }) => {
    const [lost, status] = [lossOf(first), first.status]
    const args = { subject: id, noun: kind.noun, lost, status, list: kind.listRoute }
    return finding('retried-create', args, [first, call])
  })
}

function lossOf({ ended, status }: SessionCall): 'left' | 'broken' | 'unreadable' | 'rejected' {
  if (ended === 'aborted') return 'left'
  if (ended === 'disconnected' || status === 0) return 'broken'
  return status < 400 ? 'unreadable' : 'rejected'
}

interface SubmittedAgain {
  readonly first: SessionCall
  /** The job that the first submission created. */
  readonly job: JobRef
  readonly call: SessionCall
}

/** Repetitions of submissions for which `isOpen` is true, unless the client has looked at the job before. */
function submittedAgain(
  { moments }: RecordedSession,
  isOpen: (call: SessionCall, job: JobRef) => boolean,
): SubmittedAgain[] {
  const open = new Map<string, Omit<SubmittedAgain, 'call'>>()
  const again: SubmittedAgain[] = []
  for (const { call, isEnd } of moments) {
    if (isEnd) {
      const job = call.created
      const identity = job !== undefined && isOpen(call, job) ? call.identity : undefined
      if (job !== undefined && identity !== undefined) open.set(identity, { first: call, job })
      continue
    }
    if (open.size === 0) continue
    for (const [identity, { job }] of open) if (looksAt(call, job)) open.delete(identity)
    const first = call.method === 'POST' ? open.get(call.identity ?? '') : undefined
    if (first !== undefined) again.push({ ...first, call })
  }
  return again
}

/** After looking at the job, submitting again is deliberate. */
function looksAt(call: SessionCall, { kind, id }: JobRef): boolean {
  const seen = call.polled ?? call.jobInPath
  return seen === undefined
    ? call.operation?.endpoint.job?.lists === kind
    : seen.kind === kind && seen.id === id
}

/** The fifth poll shows that it is a loop; tests often poll a few times to see that nothing has changed. */
const fastLoop = 5
/** The expected time between two polls of a job, in milliseconds. */
const pollEvery = 1000
/** Timers and network latency are not exact. */
const pollTolerance = 0.9

export function polledTooFast({ mode, calls, jobs }: RecordedSession): ClientFinding[] {
  if (mode === 'auto') return []
  const rows = new Rows()
  for (const call of calls) {
    const { polled } = call
    if (polled === undefined) continue
    // Rejected polls have findings of their own, and nobody waits for a job that has ended.
    if (call.status !== 200 || jobs.get(jobKey(polled))?.ended?.by.isKnownTo(call) === true) {
      rows.end(call, polled)
      continue
    }
    const last = rows.lastOf(call, polled)
    if (last !== undefined && call.hasWaitedFor(last) >= pollEvery * pollTolerance) rows.end(call, polled)
    rows.add(call, polled)
  }
  return rows.ofLength(fastLoop).map(({ job, calls: polls }) => {
    const [before, last] = polls.slice(-2) as [SessionCall, SessionCall]
    const [noun, interval] = [job.kind.noun, last.hasWaitedFor(before)]
    const args = { subject: job.id, noun, polls: polls.length, interval, expected: pollEvery }
    return finding('polled-too-fast', args, polls)
  })
}

/** Two more polls are not a loop. */
const loopAfterEnd = 3

export function polledAfterEnd({ calls, jobs }: RecordedSession): ClientFinding[] {
  const rows = new Rows()
  const endOf = (job: JobRef): Job['ended'] => jobs.get(jobKey(job))?.ended
  for (const call of calls) {
    const { polled, jobInPath } = call
    // Reading or remixing the video may begin with a poll.
    if (polled === undefined && jobInPath !== undefined) rows.end(call, jobInPath)
    else if (polled !== undefined && call.status === 200 && endOf(polled)?.by.isKnownTo(call) === true)
      rows.add(call, polled)
  }
  return rows.ofLength(loopAfterEnd).flatMap(({ job, calls: polls }) => {
    const ended = endOf(job)
    if (ended === undefined) return []
    const args = { subject: job.id, noun: job.kind.noun, end: ended.as }
    return [finding('polled-after-end', args, [ended.by, ...polls])]
  })
}

interface Row {
  readonly job: JobRef
  readonly calls: SessionCall[]
}

/** Rows of polls, each by one caller for one job. */
class Rows {
  readonly #all: Row[] = []
  readonly #current = new Map<string, Row>()

  add(call: SessionCall, job: JobRef): void {
    const key = keyOf(call, job)
    const row = this.#current.get(key)
    if (row !== undefined) return void row.calls.push(call)
    const begun = { job, calls: [call] }
    this.#all.push(begun)
    this.#current.set(key, begun)
  }

  end(call: SessionCall, job: JobRef): void {
    this.#current.delete(keyOf(call, job))
  }

  lastOf(call: SessionCall, job: JobRef): SessionCall | undefined {
    return this.#current.get(keyOf(call, job))?.calls.at(-1)
  }

  ofLength(least: number): readonly Row[] {
    return this.#all.filter(({ calls }) => calls.length >= least)
  }
}

const keyOf = ({ caller }: SessionCall, job: JobRef): string => `${caller} ${jobKey(job)}`

export function neverFetchedResult({ calls, jobs }: RecordedSession): ClientFinding[] {
  const used = new Set<string>()
  for (const { operation, jobInPath, status } of calls) {
    const { job, method } = operation?.endpoint ?? {}
    const polls = job?.polls
    // A failed attempt counts as well: other findings report those.
    if (polls === undefined && jobInPath !== undefined && (method !== 'DELETE' || status < 300))
      used.add(jobInPath.id)
  }
  return [...jobs.values()].flatMap(({ kind, id, ended }) => {
    if (kind.resultExpires !== true || ended?.as !== 'success' || used.has(id)) return []
    return [finding('never-fetched-result', { subject: id, noun: kind.noun }, [ended.by])]
  })
}

export function fetchedAfterExpiry({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { status, responseText, url: path } = call
    if (call.operation?.endpoint.expires !== true || status < 400 || call.isPlanned) return []
    if (responseText === undefined || !/\bexpired\b/.test(responseText)) return []
    const job = call.jobInPath
    const named = job === undefined ? {} : { job: { noun: job.kind.noun, id: job.id } }
    return [finding('fetched-after-expiry', { subject: path, status, ...named }, [call])]
  })
}

export function otherKeyThanSource({ calls, jobs }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { job, idsIn, operation = '' } = call.operation?.endpoint ?? {}
    const kind = job?.submits
    const id = idsIn?.body === undefined ? undefined : call.body[idsIn.body[0] ?? '']
    if (kind === undefined || typeof id !== 'string') return []
    const owner = jobs.get(jobKey({ kind, id }))?.caller
    const { caller, entry } = call
    // Without a key the call is rejected for that.
    if (owner === undefined || caller === '' || owner === caller) return []
    const args = { subject: id, noun: kind.noun, operation, key: entry.key ?? '', caller, owner }
    return [finding('other-key-than-source', args, [call])]
  })
}
