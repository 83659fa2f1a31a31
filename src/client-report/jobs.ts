/**
 * What the clients of one session know of their image jobs, videos and operations: who submitted them, and
 * how they ended according to a reply.
 */

import { BoundedMap } from '../engine/bounded-map.ts'
import { jsonIn, listOf } from '../engine/fields.ts'
import type { Operation } from '../protocol/operations.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { valueAt } from '../protocol/wording.ts'
import type { CallRef, ObservedCall } from './observed-call.ts'

export type JobEnd = 'succeeded' | 'failed'

export interface Job {
  readonly kind: ScriptedKind
  readonly id: string
  /** The caller that submitted it; undefined for what a scenario gave. */
  readonly caller: string | undefined
  /** How it ended, according to the first reply that said so. */
  readonly end: JobEnd | undefined
  readonly reportedBy: CallRef | undefined
}

export interface Jobs {
  find(kind: ScriptedKind, id: string): Job | undefined
  all(): Iterable<Job>
}

/** Whether replies of an operation show jobs of earlier calls. */
export function showsJobs(operation: Operation | undefined): boolean {
  return operation?.endpoint.polls !== undefined || operation?.endpoint.lists !== undefined
}

const unknown = { caller: undefined, end: undefined, reportedBy: undefined }

const maxJobs = 10_000

export function polledJob(call: ObservedCall): Pick<Job, 'kind' | 'id'> | undefined {
  const polls = call.operation?.endpoint.polls
  if (polls === undefined) return undefined
  const name = polls.field === undefined ? call.path : call.body[polls.field]
  const id = typeof name === 'string' ? lastPart(name) : undefined
  return id === undefined ? undefined : { kind: polls.kind, id }
}

/** The job that a call created, whatever its reply says; undefined for none. */
export function createdJob(call: ObservedCall): Pick<Job, 'kind' | 'id'> | undefined {
  const kind = call.operation?.endpoint.submits
  const created = call.entry.transitions.find(
    ({ resource, from }) => from === null && resource === kind?.resource,
  )
  return kind === undefined || created === undefined ? undefined : { kind, id: created.id }
}

/** The job in the path of a call. */
export function jobInPath({ operation, path }: ObservedCall): Pick<Job, 'kind' | 'id'> | undefined {
  const { about, path: pattern, idsIn } = operation?.endpoint ?? {}
  const at = pattern?.split('/').indexOf(`{${idsIn?.params?.[0]}}`) ?? -1
  const id = path.split('/')[at]
  return about === undefined || id === undefined || id === '' ? undefined : { kind: about, id: decoded(id) }
}

/**
 * The jobs of one session. `called` and `ended` must get, in order, every call that created or showed one.
 */
export function createJobs(
  onEvict?: () => void,
): Jobs & { called(call: ObservedCall): void; ended(call: ObservedCall): void } {
  const known = new BoundedMap<Job>({ count: maxJobs, onEvict: onEvict })
  const keyOf = ({ resource }: ScriptedKind, id: string): string => `${resource} ${id}`

  const recordEnd = (kind: ScriptedKind, id: string, end: JobEnd | undefined, source: ObservedCall): void => {
    if (end === undefined) return
    const job = known.get(keyOf(kind, id)) ?? { kind, id, ...unknown }
    // A job that falls back and ends again is still known to have ended.
    if (job.end === undefined) known.set(keyOf(kind, id), { ...job, end, reportedBy: source.ref })
  }

  return {
    find: (kind, id) => known.get(keyOf(kind, id)),
    all: () => known.values(),
    called(call) {
      const made = createdJob(call)
      if (made !== undefined)
        known.set(keyOf(made.kind, made.id), { ...made, ...unknown, caller: call.caller })
    },
    ended(call) {
      const { status, reply, transitions, ended } = call.entry
      const listed = call.operation?.endpoint.lists
      if (status !== 200 || ended === 'aborted') return
      const job = polledJob(call) ?? createdJob(call)
      if (job !== undefined) {
        const { kind, id } = job
        const shown = transitions.find((one) => one.resource === kind.resource && one.id === id)?.to
        recordEnd(kind, id, reply === undefined ? endOf(kind, shown) : endIn(kind, reply), call)
      } else if (listed !== undefined) {
        for (const one of listOf(valueAt(jsonIn(reply), ['data']))) {
          const id = valueAt(one, ['id'])
          if (typeof id === 'string') recordEnd(listed, id, endOf(listed, valueAt(one, ['status'])), call)
        }
      }
    },
  }
}

// From the reply, which a rule may have changed.
function endIn(kind: ScriptedKind, reply: string): JobEnd | undefined {
  return kind.readEnd === undefined ? endOf(kind, valueAt(jsonIn(reply), ['status'])) : kind.readEnd(reply)
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
