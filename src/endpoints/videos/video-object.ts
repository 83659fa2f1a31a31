/** The video object on the wire (contract 2.3). */
import { withoutUnset } from '../../behaviours/jobs/job.ts'
import type { VideoSnapshot } from './video.ts'

/** The fields of every video object (contract 2.3), as a submission returns them. */
export function commonFields(snapshot: VideoSnapshot) {
  const { completed_at, expires_at, remixed_from_video_id, ...shown } = snapshot.view.fields
  return withoutUnset({ ...baseFields(snapshot), ...shown }, snapshot.view.unset)
}

/** The video object of a remix: with the id of its source. */
export function remixFields(snapshot: VideoSnapshot) {
  const { remixed_from_video_id: source = snapshot.video.facts.remixedFrom } = snapshot.view.fields
  return withoutUnset({ ...commonFields(snapshot), remixed_from_video_id: source }, snapshot.view.unset)
}

/** The video object of a status query. */
export function statusFields(snapshot: VideoSnapshot) {
  const { video, view, expiresAt } = snapshot
  const shown = {
    ...baseFields(snapshot),
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
  return withoutUnset(shown, view.unset)
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
