/** An image job as the session keeps it and as the wire shows it (contract 2.2). Knows nothing of requests. */
import type * as z from 'zod'
import type { Resource } from '../../engine/store.ts'
import type { Folded } from '../../engine/timeline.ts'
import { pictureUrl, type Pictures } from './pictures.ts'
import type { imageJobReply } from './schema.ts'

/** The store's name for image jobs. */
export const imageJobKind = 'imageJob'

/** What never changes about a job. */
export interface ImageJobFacts {
  readonly model: string
  /** Whether the model is a reserved value, which no catalogue holds. */
  readonly reservedModel?: boolean
  readonly text: string | undefined
  readonly seed: number
  readonly pictures: Pictures
  /** Pictures that the audit blocks, 0-based. */
  readonly blocked: readonly number[]
}

export type ImageJob = Resource<ImageJobFacts>
export type ImageJobReply = z.output<typeof imageJobReply>

/** Contract section 3; 0, waiting, only comes of a script. */
export const running = 1
export const succeeded = 2
export const failed = 3

// The words of wire-formats 7, by status.
const comments = ['JobStatusQueued', 'JobStatusRunning', 'JobStatusSuccess', 'JobStatusFail'] as const

/** What stands in `audits` beside a blocked picture. */
const auditReason = 'blocked by the picture audit'

/** Whether a job takes no more of its key's places. */
export function hasEnded({ gone, state }: Folded): boolean {
  return gone || state['status'] === succeeded || state['status'] === failed
}

/**
 * The job object. A timeline need only say `status`: what it leaves out follows from that. A blocked picture keeps its
 * address, since the contract wants addresses in `urls` and `audits` runs beside it (wire-formats 7); reading it is refused.
 */
export function renderImageJob({ id, facts }: ImageJob, { state }: Folded): ImageJobReply {
  const status = (state['status'] ?? running) as ImageJobReply['status']
  const places = status === succeeded ? Array.from({ length: facts.pictures.count }, (_, index) => index) : []
  return {
    id,
    ...(facts.text === undefined ? {} : { text: facts.text }),
    status,
    urls: places.map((index) => pictureUrl(id, index)),
    comment: comments[status],
    cost: null,
    audits: places.map((index) => (facts.blocked.includes(index) ? auditReason : '')),
    seed: facts.seed,
    ...state,
  }
}
