/**
 * What the clients of one session have been shown of their image jobs, videos and operations: who made them,
 * how they ended as far as a reply said.
 */

import { BoundedMap } from '../engine/bounded-map.ts'
import { type Fields, type ObservedCall, parsed, type Sighting } from './observed-call.ts'

export type JobKind = 'imageJob' | 'video' | 'operation'
export type JobEnd = 'succeeded' | 'failed'

export interface Job {
  readonly kind: JobKind
  readonly id: string
  /** The caller that made it; undefined for what was there at the beginning. */
  readonly caller: string | undefined
  /** How it ended, as the first reply said that told it. */
  readonly end: JobEnd | undefined
  /** The call whose reply told it. */
  readonly toldBy: Sighting | undefined
}

export interface Jobs {
  find(kind: JobKind, id: string): Job | undefined
  /** Oldest first. */
  all(): Iterable<Job>
}

/** How jobs are called in a sentence, and how they are polled. */
export const jobWords: Readonly<Record<JobKind, { readonly name: string; poll(id: string): string }>> = {
  imageJob: { name: 'image job', poll: (id) => `GET /v1/tob/job/${id}` },
  video: { name: 'video', poll: (id) => `GET /v1/videos/${id}` },
  operation: { name: 'operation', poll: (id) => `GET …/operations/${id}` },
}

const polls: Readonly<Record<string, JobKind>> = {
  'imageJobs.retrieve': 'imageJob',
  'videos.retrieve': 'video',
  'operations.retrieve': 'operation',
  'operations.fetch': 'operation',
}

/** How many jobs of a session are remembered. */
const remembered = 10_000

/** The job that a poll asks for; undefined when the call is no poll. */
export function polledJob(call: ObservedCall): { readonly kind: JobKind; readonly id: string } | undefined {
  const kind = polls[call.entry.operation ?? '']
  if (kind === undefined) return undefined
  const name = call.entry.operation === 'operations.fetch' ? call.body['operationName'] : call.path
  const id = typeof name === 'string' ? lastPart(name) : undefined
  return id === undefined ? undefined : { kind, id }
}

/** The job that a call has made, whatever its reply says; undefined when it made none. */
export function madeJob(call: ObservedCall): { readonly kind: JobKind; readonly id: string } | undefined {
  for (const { resource, id, from } of call.entry.transitions)
    if (from === null && isJobKind(resource)) return { kind: resource, id }
  return undefined
}

/** The id in the path of a call under `/v1/videos/{video_id}`. */
export function videoInPath(call: ObservedCall): string | undefined {
  const id = /^\/v1\/videos\/([^/]+)/.exec(call.path)?.[1]
  return id === undefined ? undefined : decoded(id)
}

/** The jobs of one session; `called` and `ended` are told of every call, in order. */
export function createJobs(): Jobs & { called(call: ObservedCall): void; ended(call: ObservedCall): void } {
  const known = new BoundedMap<Job>({ count: remembered })
  const keyOf = (kind: JobKind, id: string): string => `${kind} ${id}`

  const tell = (kind: JobKind, id: string, end: JobEnd | undefined, toldBy: ObservedCall): void => {
    if (end === undefined) return
    const job = known.get(keyOf(kind, id)) ?? {
      kind,
      id,
      caller: undefined,
      end: undefined,
      toldBy: undefined,
    }
    // A job that falls back and ends again was told of all the same.
    if (job.end === undefined) known.set(keyOf(kind, id), { ...job, end, toldBy: toldBy.sighting })
  }

  return {
    find: (kind, id) => known.get(keyOf(kind, id)),
    all: () => known.values(),
    called(call) {
      if (call.entry.transitions.length === 0) return
      const made = madeJob(call)
      if (made !== undefined)
        known.set(keyOf(made.kind, made.id), {
          ...made,
          caller: call.caller,
          end: undefined,
          toldBy: undefined,
        })
    },
    ended(call) {
      const { operation, status, reply, transitions, ended } = call.entry
      if (status !== 200 || ended === 'aborted') return
      const job = polledJob(call) ?? madeJob(call)
      if (job !== undefined) {
        const shown = transitions.find(({ resource, id }) => resource === job.kind && id === job.id)?.to
        tell(job.kind, job.id, reply === undefined ? endOf(job.kind, shown) : endIn(job.kind, reply), call)
      } else if (operation === 'videos.list') {
        const { data } = (parsed(reply) ?? {}) as { data?: unknown }
        for (const one of Array.isArray(data) ? (data as Fields[]) : [])
          if (typeof one['id'] === 'string') tell('video', one['id'], endOf('video', one['status']), call)
      }
    },
  }
}

// What the client was shown, a rule's changes included. A finished operation holds its film, so that its text
// is not kept whole.
function endIn(kind: JobKind, reply: string): JobEnd | undefined {
  if (kind === 'operation')
    return /"done":\s*true/.test(reply.slice(0, 4000))
      ? /"error":\s*\{/.test(reply.slice(0, 4000))
        ? 'failed'
        : 'succeeded'
      : undefined
  const { status } = (parsed(reply) ?? {}) as { status?: unknown }
  return endOf(kind, status)
}

const ends: Readonly<Record<JobKind, { readonly succeeded: unknown; readonly failed: unknown }>> = {
  imageJob: { succeeded: 2, failed: 3 },
  video: { succeeded: 'completed', failed: 'failed' },
  operation: { succeeded: 'SUCCEEDED', failed: 'FAILED' },
}

function endOf(kind: JobKind, status: unknown): JobEnd | undefined {
  return status === ends[kind].succeeded ? 'succeeded' : status === ends[kind].failed ? 'failed' : undefined
}

function isJobKind(resource: string): resource is JobKind {
  return Object.hasOwn(jobWords, resource)
}

function lastPart(path: string): string | undefined {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last === '' ? undefined : decoded(last)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
