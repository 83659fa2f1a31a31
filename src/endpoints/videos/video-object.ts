/** The video object of the wire (contract 2.3), made from what a look has found. Knows nothing of requests. */
import type { Look } from './video.ts'

/** The fields of every video object (contract 2.3). */
export function commonFields({ video, view }: Look) {
  const { model, seconds, size } = video.facts
  return { id: video.id, object: 'video', created_at: unixSeconds(video.bornAt), model, status: view.status, progress: view.progress, seconds, size, error: view.error }
}

/** The video object of a status query. */
export function statusFields(look: Look) {
  const { video, view, expiresAt } = look
  return {
    ...commonFields(look),
    completed_at: view.completedAt ?? (view.status === 'completed' ? unixSeconds(video.bornAt + view.since) : null),
    expires_at: expiresAt === undefined ? null : unixSeconds(expiresAt),
    remixed_from_video_id: video.facts.remixedFrom ?? null,
  }
}

const unixSeconds = (ms: number): number => Math.floor(ms / 1000)
