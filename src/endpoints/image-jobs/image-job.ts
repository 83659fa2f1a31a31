/** An image job: as the session keeps it, and on the wire (contract 2.2). */
import type * as z from 'zod'
import { failed, type JobImageFacts, running, succeeded } from '../../behaviours/image-jobs.ts'
import { withoutUnset } from '../../behaviours/jobs/job.ts'
import type { Resource } from '../../engine/resource.ts'
import type { FoldedState } from '../../engine/timeline.ts'
import { jobImageUrl } from './job-images.ts'
import type { imageJobReply } from './schema.ts'

/** What never changes about a job. */
export interface ImageJobFacts extends JobImageFacts {
  readonly model: string
  /** Whether the model is a reserved value, which no catalog has. */
  readonly reservedModel?: boolean
  readonly text: string | undefined
  readonly seed: number
}

export type ImageJob = Resource<ImageJobFacts>
export type ImageJobReply = z.output<typeof imageJobReply>

// By status (wire-formats 7).
const comments = ['JobStatusQueued', 'JobStatusRunning', 'JobStatusSuccess', 'JobStatusFail'] as const
/** For a status that the contract does not have. */
const unknownComment = 'JobStatusUnknown'

/** The default `comment` of a status. */
export const commentOf = (status: unknown): string =>
  (comments as Readonly<Record<number, string>>)[status as number] ?? unknownComment

/** The entry in `audits` for a blocked image. */
const auditReason = 'blocked by the picture audit'

/** Whether a job no longer counts as active. */
export function hasEnded({ gone, state }: FoldedState): boolean {
  return gone || state['status'] === succeeded || state['status'] === failed
}

/**
 * The job object. A timeline needs to set only `status`: the rest follows from that. A blocked image keeps
 * its address, because `audits` is parallel to `urls` (wire-formats 7); reading it is refused.
 */
export function renderImageJob(job: ImageJob, { state, reached }: FoldedState): ImageJobReply {
  const { id, facts } = job
  const status = (state['status'] ?? running) as ImageJobReply['status']
  const indexes = status === succeeded ? Array.from({ length: facts.images.count }, (_, index) => index) : []
  const { cost } = state
  return {
    id,
    ...(facts.text === undefined ? {} : { text: facts.text }),
    status,
    urls: indexes.map((index) => jobImageUrl(id, index, facts.tag)),
    comment: commentOf(status),
    cost: null,
    audits: indexes.map((index) => (facts.blocked.includes(index) ? auditReason : '')),
    seed: facts.seed,
    ...state,
    ...(cost !== null && typeof cost === 'object' && !Array.isArray(cost)
      ? { cost: { ...defaultCost(job, reached), ...cost } }
      : {}),
  }
}

/** The job object as clients see it, without what a script has taken away. */
export function shownImageJob(job: ImageJob, seen: FoldedState): ImageJobReply {
  return withoutUnset(renderImageJob(job, seen), seen.unset)
}

// A timeline may set only some fields of the contract's cost object.
function defaultCost(
  { id, bornAt, timeline }: ImageJob,
  reached: number,
): NonNullable<ImageJobReply['cost']> {
  const since = timeline.slice(0, reached).findLast(({ patch }) => patch?.['cost'] !== undefined)?.at ?? 0
  return {
    jobId: id,
    feeCost: null,
    fastCost: 0,
    relaxCost: 0,
    costAt: new Date(bornAt + since).toISOString(),
  }
}
