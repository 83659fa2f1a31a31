/** How clients submit jobs, wait for them and use their results. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import { hasJobs } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import {
  type CallRef,
  createdJob,
  type FindingKind,
  isUnreadable,
  type ObservedCall,
} from '../observed-call.ts'

/** How the first submission ended for the client, after "but". */
function endText(ended: string, status: number): string {
  if (ended === 'aborted') return 'the client disconnected before the response'
  if (ended === 'disconnected' || status === 0) return 'its connection broke'
  return status < 400 ? 'its response was not valid JSON' : `it got a ${status} response`
}

export const resubmittedKnownJob: FindingKind = {
  id: 'resubmitted-known-job',
  severity: 'error',
  summary: 'Submitted a job again after a 424 or 500 response that contained the id of the created job.',
  remedy: 'Read the id from the error and query that job. Submit again only after it has failed.',
  exceptions:
    'a different submission, and a resubmission after an error without a job id or after a poll of the job',
  on: hasJobs,
  watch: ({ report }) =>
    watchOpenCreates(
      ({ entry }, id) =>
        (entry.response?.status ?? 0) >= 400 &&
        entry.ended === 'completed' &&
        entry.response?.body?.text?.includes(id) === true,
      (call, { kind, id, status, call: first }) =>
        report({
          subject: id,
          message:
            `The ${kind.noun} ${id} was submitted again, even though a ${status} response contained its ` +
            `id. Query ${kind.pollRoute(id)} instead.`,
          calls: [first, call.ref],
        }),
    ),
}

export const retriedCreate: FindingKind = {
  id: 'retried-create',
  severity: 'warning',
  summary:
    'Retried a submission after a broken connection, a timeout or an error without a job id. The first ' +
    'submission had created a job: now two jobs exist.',
  remedy:
    'Disable automatic retries of submissions, in the SDK (`maxRetries: 0`) and in your own code. Before ' +
    'you retry, check the list of videos. Image jobs and video operations have no list: let the user ' +
    'decide whether to submit again.',
  exceptions:
    'a retry of a submission that created nothing, and a retry after a query for the list or the job',
  on: hasJobs,
  watch: ({ report }) =>
    watchOpenCreates(
      ({ entry }, id) =>
        entry.ended !== 'open' &&
        (entry.ended !== 'completed' ||
          entry.response === undefined ||
          isUnreadable(entry) ||
          ((entry.response?.status ?? 0) >= 400 && entry.response?.body?.text?.includes(id) !== true)),
      (call, { kind, id, status, ended, call: first }) => {
        const end = endText(ended, status)
        report({
          subject: id,
          message:
            `The client submitted the same ${kind.noun} twice without querying the first ${kind.noun}. ` +
            `The first submission had created ${id}, but ${end}.`,
          remedy: remedyFor(kind),
          calls: [first, call.ref],
        })
      },
    ),
}

// The contract has no idempotency keys: only a list shows what a lost submission has created.
const remedyFor = ({ noun, listRoute }: ScriptedKind): string =>
  'Disable automatic retries of submissions, in the SDK (`maxRetries: 0`) and in your own code. ' +
  (listRoute === undefined
    ? `No list shows the first ${noun}: let the user decide whether to submit again.`
    : `Before you retry, check the list of ${noun}s (\`${listRoute}\`).`)

/** A submission whose client does not know that its job exists, or knows only from the rejection. */
interface OpenCreate {
  readonly kind: ScriptedKind
  readonly id: string
  readonly status: number
  readonly ended: ObservedCall['entry']['ended']
  readonly call: CallRef
}

const maxCreates = 1000

/** Calls `again` for a submission that repeats one for which `isOpen` was true. */
function watchOpenCreates(
  isOpen: (call: ObservedCall, jobId: string) => boolean,
  again: (call: ObservedCall, first: OpenCreate) => void,
): { called(call: ObservedCall): void; ended(call: ObservedCall): void } {
  const open = new BoundedMap<OpenCreate>({ count: maxCreates })
  const forget = (looked: (create: OpenCreate) => boolean): void => {
    for (const [fingerprint, create] of [...open.entries()]) if (looked(create)) open.delete(fingerprint)
  }
  return {
    called(call) {
      if (open.count === 0) return
      const seen = call.polled ?? call.jobInPath
      const listed = call.operation?.endpoint.lists
      // After looking at the job, submitting again is deliberate.
      if (seen !== undefined) forget(({ kind, id }) => kind === seen.kind && id === seen.id)
      else if (listed !== undefined) forget(({ kind }) => kind === listed)
      if (call.entry.request.method !== 'POST') return
      const fingerprint = call.fingerprint
      const first = fingerprint === undefined ? undefined : open.get(fingerprint)
      if (first !== undefined) again(call, first)
    },
    ended(call) {
      if (call.entry.cause.transitions.length === 0) return
      const created = createdJob(call)
      if (created === undefined || !isOpen(call, created.id)) return
      const { fingerprint } = call
      if (fingerprint === undefined) return
      const { ended, response } = call.entry
      open.set(fingerprint, { ...created, status: response?.status ?? 0, ended, call: call.ref })
    },
  }
}

/** The fifth poll shows that it is a loop; tests often poll a few times to see that nothing has changed. */
const fastLoop = 4
/** The expected time between two polls of a job, in milliseconds. */
const pollEvery = 1000
/** Timers and network latency are not exact. */
const pollTolerance = 0.9

interface Polls {
  readonly last: CallRef
  readonly soon: number
  readonly calls: readonly CallRef[]
}

export const polledTooFast: FindingKind = {
  id: 'polled-too-fast',
  severity: 'warning',
  summary:
    'Repeatedly polled a job more often than once a second. Not checked ' +
    'in `auto` clock mode. Above speed 1, only virtual time counts.',
  remedy: "Wait between polls, preferably with backoff: every poll counts against the API key's rate limit.",
  exceptions: 'up to four polls in quick succession, and polls of different jobs',
  on: hasJobs,
  watch({ mode, jobs, report }) {
    const rows = new BoundedMap<Polls>({ count: 1000 })
    if (mode === 'auto') return {}
    return {
      called(call) {
        const { polled } = call
        if (polled === undefined) return
        const { kind, id } = polled
        const key = `${call.caller} ${kind.resource} ${id}`
        // Rejected polls have rules of their own, and nobody waits for a job that has ended.
        if (call.entry.response?.status !== 200 || jobs.find(kind, id)?.end !== undefined)
          return rows.delete(key)
        const row = rows.get(key)
        const last = call.ref
        const waited = row === undefined ? Infinity : call.hasWaitedFor(row.last)
        if (row === undefined || waited >= pollEvery * pollTolerance)
          return rows.set(key, { last, soon: 0, calls: [last] })
        const soon = row.soon + 1
        const calls = [...row.calls, last].slice(0, 10)
        rows.set(key, { last, soon, calls })
        if (soon >= fastLoop)
          report({
            subject: id,
            message:
              `The ${kind.noun} ${id} was polled ${soon + 1} times in quick succession. The last interval ` +
              `was ${formatDuration(waited)}; expected ${formatDuration(pollEvery)} or more.`,
            calls,
          })
      },
    }
  },
}

/** A few more polls are not a loop. */
const loopAfterEnd = 3

export const polledAfterEnd: FindingKind = {
  id: 'polled-after-end',
  severity: 'warning',
  summary: 'Kept polling a job after a response had reported its success or failure.',
  remedy: 'Stop polling at every terminal state, including failure. Terminal states never change.',
  exceptions:
    'up to two more polls, polls with different API keys, and polls separated by another request ' +
    'for the job',
  on: hasJobs,
  watch({ jobs, report }) {
    const rows = new BoundedMap<readonly CallRef[]>({ count: 1000 })
    return {
      called(call) {
        const { polled } = call
        if (polled === undefined) {
          const named = call.jobInPath
          // Reading or remixing the video may begin with a poll.
          if (named !== undefined) rows.delete(`${call.caller} ${named.kind.resource} ${named.id}`)
          return
        }
        const { kind, id } = polled
        const job = jobs.find(kind, id)
        if (job?.end === undefined || job.reportedBy === undefined || call.entry.response?.status !== 200)
          return
        const key = `${call.caller} ${kind.resource} ${id}`
        const calls = [...(rows.get(key) ?? []), call.ref]
        rows.set(key, calls.slice(0, 10))
        if (calls.length >= loopAfterEnd)
          report({
            subject: id,
            message:
              `The ${kind.noun} ${id} was polled again after a response had reported its ` +
              `${job.end === 'failed' ? 'failure' : 'success'}.`,
            calls: [job.reportedBy, ...calls],
          })
      },
    }
  },
}

export const neverFetchedResult: FindingKind = {
  id: 'never-fetched-result',
  severity: 'warning',
  summary: 'Polled a video to completion, but never downloaded, remixed or deleted the video.',
  remedy: 'Download completed videos with `GET /v1/videos/{video_id}/content` before `expires_at`.',
  exceptions:
    'a failed video; image URLs, which need no API key; video operations, whose responses contain the videos',
  on: hasJobs,
  watch({ jobs }) {
    const used = new BoundedMap<true>({ count: 10_000 })
    return {
      called(call) {
        const { endpoint } = call.operation ?? {}
        if (endpoint?.polls !== undefined) return
        const job = call.jobInPath
        // A failed attempt counts as well: other findings report those.
        if (job !== undefined && (endpoint?.method !== 'DELETE' || (call.entry.response?.status ?? 0) < 300))
          used.set(job.id, true)
      },
      finish() {
        const unread = [...jobs.all()].filter(
          ({ kind, id, end }) =>
            kind.resultExpires === true && end === 'succeeded' && used.get(id) === undefined,
        )
        return unread.map(({ kind, id, reportedBy }) => ({
          subject: id,
          message: `The ${kind.noun} ${id} was completed, but its content was never downloaded.`,
          calls: reportedBy === undefined ? [] : [reportedBy],
        }))
      },
    }
  },
}

export const fetchedAfterExpiry: FindingKind = {
  id: 'fetched-after-expiry',
  severity: 'warning',
  summary: 'Requested an expired result: the content of a video or the URL of an image.',
  remedy: 'Download results soon after completion, and store a copy instead of the URL.',
  exceptions: 'an error from a rule, a fault or a reserved value',
  on: ({ endpoint }) => endpoint.expires === true,
  watch: ({ report }) => ({
    ended(call) {
      const { response, request } = call.entry
      if (response === undefined || response.status < 400 || call.isPlanned) return
      if (!/\bexpired\b/.test(response.body?.text ?? '')) return
      const job = call.jobInPath
      const what =
        job === undefined ? `The image ${request.url}` : `The content of the ${job.kind.noun} ${job.id}`
      report({
        subject: request.url,
        message: `${what} was requested after it had expired (${response.status}).`,
        calls: [call.ref],
      })
    },
  }),
}

export const otherKeyThanSource: FindingKind = {
  id: 'other-key-than-source',
  severity: 'error',
  summary: 'Edited an image job with an API key other than the one that submitted the job.',
  remedy:
    'Store the API key with the job id, and use it for every edit to the job, such as pan or variation.',
  exceptions: 'edits to jobs that do not exist in the session',
  on: ({ endpoint: { submits, idsIn } }) => submits !== undefined && idsIn?.body !== undefined,
  watch: ({ jobs, report }) => ({
    called(call) {
      const { submits: kind, idsIn } = call.operation?.endpoint ?? {}
      const id = call.body[idsIn?.body?.[0] ?? '']
      if (kind === undefined || typeof id !== 'string') return
      const owner = jobs.find(kind, id)?.caller
      // Without a key the call is rejected for that.
      if (owner === undefined || call.caller === '' || owner === call.caller) return
      report({
        subject: id,
        message:
          `${call.entry.operation} for the ${kind.noun} ${id} was sent with the API key ` +
          `${call.entry.key ?? ''} (caller ${call.caller} in the journal), but the job was submitted by ` +
          `caller ${owner}.`,
        calls: [call.ref],
      })
    },
  }),
}
