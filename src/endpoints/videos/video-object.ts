/** The video object of the wire (contract 2.3), made from what a look has found. */
import type { VideoSnapshot } from './video.ts'

/** The fields of every video object (contract 2.3), as a submission answers them. */
export function commonFields(look: VideoSnapshot) {
  const { completed_at, expires_at, remixed_from_video_id, ...shown } = look.view.fields
  return { ...baseFields(look), ...shown }
}

/** The video object of a remix: that of a submission, with its source. */
export function remixFields(look: VideoSnapshot) {
  const { remixed_from_video_id: source = look.video.facts.remixedFrom } = look.view.fields
  return { ...commonFields(look), remixed_from_video_id: source }
}

/** The video object of a status query. */
export function statusFields(look: VideoSnapshot) {
  const { video, view, expiresAt } = look
  return {
    ...baseFields(look),
    completed_at:
      view.completedAt === undefined
        ? view.status === 'completed'
          ? unixSeconds(video.bornAt + view.since)
          : null
        : view.completedAt,
    expires_at: expiresAt === undefined ? null : unixSeconds(expiresAt),
    remixed_from_video_id: video.facts.remixedFrom ?? null,
    ...view.fields,
  }
}

function baseFields({ video, view }: VideoSnapshot) {
  const { model, seconds, size } = video.facts
  return {
    id: video.id,
    object: 'video',
    created_at: unixSeconds(video.bornAt),
    model,
    status: view.status,
    progress: view.progress,
    seconds,
    size,
    error: view.error,
  }
}

const unixSeconds = (ms: number): number => Math.floor(ms / 1000)
