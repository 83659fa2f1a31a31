/** A video: its facts, its state at a time, and its wire format. */
import { markOffContract, withoutUnset } from '../../behaviours/jobs/job.ts'
import type { SeenJob } from '../../behaviours/jobs/kind.ts'
import { defined, type Fields, isFields } from '../../engine/fields.ts'
import type { Resource } from '../../engine/resource.ts'
import { fold, type TimelineEntry } from '../../engine/timeline.ts'
import { json, type PlainResponse } from '../../protocol/response.ts'
import { durations, sizes } from './schema.ts'

/** The constant facts of a video. */
export interface VideoFacts {
  readonly model: string
  /** Only its first 4,000 characters: a session keeps thousands of videos. */
  readonly prompt: string
  readonly seconds: (typeof durations)[number]
  readonly size: (typeof sizes)[number]
  /** The seed of its content. */
  readonly seed: string
  readonly remixedFrom: string | undefined
  /** The name of its first image, for captions. */
  readonly reference?: string
}

export type Video = Resource<VideoFacts>

/** How long a finished video can be downloaded, in virtual milliseconds. */
export const downloadPeriod = 24 * 3_600_000

/** The default failure of a video. */
export const defaultFailure = {
  code: 'video_generation_failed',
  message: 'The video could not be generated.',
}

type VideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

interface VideoFailure {
  readonly code: string
  readonly message: string
  readonly type: string
}

/** A video at a time. */
export interface VideoView {
  readonly video: Video
  readonly status: VideoStatus
  readonly progress: number
  readonly error: VideoFailure | null
  /** Milliseconds since the epoch, once completed. */
  readonly completedAt: number | undefined
  /** When the content expires. */
  readonly expiresAt: number | undefined
  /** Fields of the video object that a script sets, instead of derived values. */
  readonly fields: Fields
  /** The fields that a script removes. */
  readonly unset: readonly string[]
}

/**
 * Scripts may set fewer fields than the default timeline: progress and error then follow from the status.
 * Contract violations are kept as written.
 */
export function viewOf({ job, state, unset, reached }: SeenJob<VideoFacts>): VideoView {
  const { status: shown, progress, error, completed_at, expires_at, ...others } = state
  const status = (shown ?? 'pending') as VideoStatus
  const entries = job.timeline.slice(0, reached)
  const start = statusEntry(entries)
  const doneAt = status === 'completed' ? job.bornAt + Math.max(0, start?.at ?? 0) : undefined
  return {
    video: job,
    status,
    progress: percent(progressOf(entries, start, status, progress)),
    error: failureOf(status === 'failed' ? (error ?? defaultFailure) : error),
    completedAt: timeIn(completed_at, doneAt),
    expiresAt: timeIn(expires_at, doneAt === undefined ? undefined : doneAt + downloadPeriod),
    fields:
      job.offContract === true
        ? { ...others, ...defined({ progress, error, completed_at, expires_at }) }
        : others,
    unset,
  }
}

/** Its facts in responses: a script may set another size or duration, which also change the content. */
export function shownFacts({ video: { facts }, fields }: VideoView): VideoFacts {
  const { model, seconds, size } = fields
  return {
    ...facts,
    model: typeof model === 'string' ? model : facts.model,
    seconds: durations.find((known) => known === seconds) ?? facts.seconds,
    size: sizes.find((known) => known === size) ?? facts.size,
  }
}

/** The response to a submission: without the fields that are set later; of a remix with its source. */
export function showSubmitted(seen: SeenJob<VideoFacts>): PlainResponse {
  const view = viewOf(seen)
  const { remixedFrom } = view.video.facts
  const { completed_at, expires_at, remixed_from_video_id = remixedFrom, ...shown } = view.fields
  const source = remixedFrom === undefined ? {} : { remixed_from_video_id }
  const body = withoutUnset({ ...baseFields(view), ...shown, ...source }, view.unset)
  return markOffContract(json(body), view.video)
}

/** The response to a poll. */
export const showVideo = (seen: SeenJob<VideoFacts>): PlainResponse =>
  markOffContract(json(statusFields(viewOf(seen))), seen.job)

/** The video object of a poll, and in a list. */
export function statusFields(view: VideoView) {
  const { video, completedAt, expiresAt } = view
  // Fills one object: this runs on every poll, and spreading objects is slow.
  const shown = Object.assign(baseFields(view), {
    completed_at: completedAt === undefined ? null : unixSeconds(completedAt),
    expires_at: expiresAt === undefined ? null : unixSeconds(expiresAt),
    remixed_from_video_id: video.facts.remixedFrom ?? null,
  })
  return withoutUnset(Object.assign(shown, view.fields), view.unset)
}

function baseFields({ video, status, progress, error }: VideoView) {
  const { model, seconds, size } = video.facts
  return {
    id: video.id,
    object: 'video',
    created_at: unixSeconds(video.bornAt),
    model,
    status,
    progress,
    seconds,
    size,
    error,
  }
}

const unixSeconds = (ms: number): number => Math.floor(ms / 1000)

// The entry that set the current status; repeating a status changes nothing.
function statusEntry(reached: readonly TimelineEntry[]): TimelineEntry | undefined {
  let found: TimelineEntry | undefined
  for (const entry of reached) {
    const status = entry.patch?.['status']
    if (status !== undefined && status !== found?.patch?.['status']) found = entry
  }
  return found
}

// The progress of a finished video is constant: a ramp stops at the end, unless the script sets a number.
function progressOf(
  reached: readonly TimelineEntry[],
  since: TimelineEntry | undefined,
  status: VideoStatus,
  shown: unknown,
): unknown {
  const ended = status === 'completed' || status === 'failed'
  if (!ended) return shown
  const after = since === undefined ? reached : reached.slice(reached.indexOf(since))
  const isScripted = after.some(
    (entry) => entry.patch?.['progress'] !== undefined || entry.ramps?.['progress'] !== undefined,
  )
  if (isScripted && shown !== undefined) return shown
  return status === 'completed' ? 100 : fold(reached, since?.at ?? 0).state['progress']
}

function percent(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(100, Math.max(0, Math.trunc(value)))
    : 0
}

// Code, message and type, all strings.
function failureOf(error: unknown): VideoFailure | null {
  if (!isFields(error)) return null
  const { code, message, type } = error
  const word = typeof code === 'string' ? code : defaultFailure.code
  const isUserError = /^(?:moderation|content_policy|invalid)/.test(word)
  const usualType = isUserError ? 'video_generation_user_error' : 'server_error'
  return {
    code: word,
    message: typeof message === 'string' ? message : defaultFailure.message,
    type: typeof type === 'string' ? type : usualType,
  }
}

// The Unix seconds or null of a script, within the range of a date; else the derived time.
function timeIn(scripted: unknown, derived: number | undefined): number | undefined {
  if (scripted === null) return undefined
  return typeof scripted === 'number' && scripted >= 0 && scripted <= 8_640_000_000_000
    ? Math.floor(scripted) * 1000
    : derived
}
