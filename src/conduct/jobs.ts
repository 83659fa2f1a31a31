/**
 * What the clients of one session have been shown of their image jobs, videos and operations: who made them,
 * how they ended as far as a reply said.
 */

import { BoundedMap } from '../engine/bounded-map.ts'
import type { Operation } from '../protocol/operations.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { type CallRef, type Fields, type ObservedCall, parsed } from './observed-call.ts'

export type JobEnd = 'succeeded' | 'failed'

export interface Job {
  readonly kind: ScriptedKind
  readonly id: string
  /** The caller that made it; undefined for what was there at the beginning. */
  readonly caller: string | undefined
  /** How it ended, as the first reply said that told it. */
  readonly end: JobEnd | undefined
  /** The call whose reply told it. */
  readonly reportedBy: CallRef | undefined
}

export interface Jobs {
  find(kind: ScriptedKind, id: string): Job | undefined
  /** Oldest first. */
  all(): Iterable<Job>
}

/** Whether replies of an operation show jobs that an earlier call has made. */
export function showsJobs(operation: Operation | undefined): boolean {
  return operation?.endpoint.polls !== undefined || operation?.endpoint.lists !== undefined
}

/** How many jobs of a session are remembered. */
const maxJobs = 10_000

/** The job that a poll asks for; undefined when the call is no poll. */
export function polledJob(call: ObservedCall): Pick<Job, 'kind' | 'id'> | undefined {
  const polls = call.operation?.endpoint.polls
  if (polls === undefined) return undefined
  const name = polls.field === undefined ? call.path : call.body[polls.field]
  const id = typeof name === 'string' ? lastPart(name) : undefined
  return id === undefined ? undefined : { kind: polls.kind, id }
}

/** The job that a call has made, whatever its reply says; undefined when it made none. */
export function createdJob(call: ObservedCall): Pick<Job, 'kind' | 'id'> | undefined {
  const kind = call.operation?.endpoint.submits
  const made = call.entry.transitions.find(
    ({ resource, from }) => from === null && resource === kind?.resource,
  )
  return kind === undefined || made === undefined ? undefined : { kind, id: made.id }
}

/** The job that the path of a call names. */
export function jobInPath({ operation, path }: ObservedCall): Pick<Job, 'kind' | 'id'> | undefined {
  const { about, path: pattern, idsIn } = operation?.endpoint ?? {}
  const at = pattern?.split('/').indexOf(`{${idsIn?.params?.[0]}}`) ?? -1
  const id = path.split('/')[at]
  return about === undefined || id === undefined || id === '' ? undefined : { kind: about, id: decoded(id) }
}

/** The jobs of one session; `called` and `ended` hear in order of every call that made or showed one. */
export function createJobs(): Jobs & { called(call: ObservedCall): void; ended(call: ObservedCall): void } {
  const known = new BoundedMap<Job>({ count: maxJobs })
  const keyOf = ({ resource }: ScriptedKind, id: string): string => `${resource} ${id}`

  const recordEnd = (kind: ScriptedKind, id: string, end: JobEnd | undefined, toldBy: ObservedCall): void => {
    if (end === undefined) return
    const job = known.get(keyOf(kind, id)) ?? {
      kind,
      id,
      caller: undefined,
      end: undefined,
      reportedBy: undefined,
    }
    // A job that falls back and ends again was told of all the same.
    if (job.end === undefined) known.set(keyOf(kind, id), { ...job, end, reportedBy: toldBy.sighting })
  }

  return {
    find: (kind, id) => known.get(keyOf(kind, id)),
    all: () => known.values(),
    called(call) {
      const made = createdJob(call)
      if (made !== undefined)
        known.set(keyOf(made.kind, made.id), {
          ...made,
          caller: call.caller,
          end: undefined,
          reportedBy: undefined,
        })
    },
    ended(call) {
      const { status, reply, transitions, ended } = call.entry
      const listed = call.operation?.endpoint.lists
      if (status !== 200 || ended === 'aborted') return
      const job = polledJob(call) ?? createdJob(call)
      if (job !== undefined) {
        const shown = transitions.find(
          ({ resource, id }) => resource === job.kind.resource && id === job.id,
        )?.to
        recordEnd(
          job.kind,
          job.id,
          reply === undefined ? endOf(job.kind, shown) : endIn(job.kind, reply),
          call,
        )
      } else if (listed !== undefined) {
        const { data } = (parsed(reply) ?? {}) as { data?: unknown }
        for (const one of Array.isArray(data) ? (data as Fields[]) : [])
          if (typeof one['id'] === 'string') recordEnd(listed, one['id'], endOf(listed, one['status']), call)
      }
    },
  }
}

// What the client was shown, a rule's changes included.
function endIn(kind: ScriptedKind, reply: string): JobEnd | undefined {
  if (kind.readEnd !== undefined) return kind.readEnd(reply)
  const { status } = (parsed(reply) ?? {}) as { status?: unknown }
  return endOf(kind, status)
}

function endOf({ ended }: ScriptedKind, status: unknown): JobEnd | undefined {
  return status === ended.succeeded ? 'succeeded' : status === ended.failed ? 'failed' : undefined
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
