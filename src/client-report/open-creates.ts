/**
 * Submissions that created a job although the client got no success, and whether the same is submitted again
 * before anybody has looked at that job.
 */

import { BoundedMap } from '../engine/bounded-map.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { createdJob, jobInPath, polledJob } from './jobs.ts'
import type { CallRef, ObservedCall } from './observed-call.ts'

/** A submission whose client does not know that its job exists, or knows only from the refusal. */
export interface OpenCreate {
  readonly kind: ScriptedKind
  readonly id: string
  readonly status: number
  readonly ended: ObservedCall['entry']['ended']
  readonly isIdempotent: boolean
  readonly call: CallRef
}

const maxCreates = 1000

/** Calls `again` for a submission that repeats one for which `isOpen` was true. */
export function watchOpenCreates(
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
      const seen = polledJob(call) ?? jobInPath(call)
      const listed = call.operation?.endpoint.lists
      // After looking at the job, submitting again is deliberate.
      if (seen !== undefined) forget(({ kind, id }) => kind === seen.kind && id === seen.id)
      else if (listed !== undefined) forget(({ kind }) => kind === listed)
      if (call.entry.method !== 'POST') return
      const fingerprint = call.fingerprint
      const first = fingerprint === undefined ? undefined : open.get(fingerprint)
      if (first !== undefined) again(call, first)
    },
    ended(call) {
      if (call.entry.transitions.length === 0) return
      const created = createdJob(call)
      const fingerprint = call.fingerprint
      if (created === undefined || fingerprint === undefined || !isOpen(call, created.id)) return
      const { status, ended } = call.entry
      open.set(fingerprint, { ...created, status, ended, isIdempotent: call.isIdempotent, call: call.ref })
    },
  }
}
