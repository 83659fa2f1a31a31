/**
 * Submissions that made a job although the client was not told that they had succeeded, and whether the same
 * is submitted again before anybody has looked at that job.
 */

import { BoundedMap } from '../engine/bounded-map.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { createdJob, jobInPath, polledJob } from './jobs.ts'
import type { CallRef, ObservedCall } from './observed-call.ts'

/** A submission whose client does not know, or was told by a refusal, that its job exists. */
export interface OpenCreate {
  readonly kind: ScriptedKind
  readonly id: string
  readonly status: number
  readonly ended: ObservedCall['entry']['ended']
  readonly isIdempotent: boolean
  readonly call: CallRef
}

const maxCreates = 1000

/** Calls `again` for a submission that repeats one that `isOpen` was true of. */
export function watchOpenCreates(
  isOpen: (call: ObservedCall, jobId: string) => boolean,
  again: (call: ObservedCall, first: OpenCreate) => void,
): { called(call: ObservedCall): void; ended(call: ObservedCall): void } {
  const open = new BoundedMap<OpenCreate>({ count: maxCreates })
  const forget = (looked: (create: OpenCreate) => boolean): void => {
    for (const [print, create] of [...open.entries()]) if (looked(create)) open.delete(print)
  }
  return {
    called(call) {
      if (open.count === 0) return
      const seen = polledJob(call) ?? jobInPath(call)
      const listed = call.operation?.endpoint.lists
      // Whoever looks at the job knows of it: submitting again is a decision then.
      if (seen !== undefined) forget(({ kind, id }) => kind === seen.kind && id === seen.id)
      else if (listed !== undefined) forget(({ kind }) => kind === listed)
      if (call.entry.method !== 'POST') return
      const print = call.print
      const first = print === undefined ? undefined : open.get(print)
      if (first !== undefined) again(call, first)
    },
    ended(call) {
      if (call.entry.transitions.length === 0) return
      const made = createdJob(call)
      const print = call.print
      if (made === undefined || print === undefined || !isOpen(call, made.id)) return
      const { status, ended } = call.entry
      open.set(print, { ...made, status, ended, isIdempotent: call.isIdempotent, call: call.sighting })
    },
  }
}
