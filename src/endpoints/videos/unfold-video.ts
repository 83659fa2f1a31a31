/** The life of a video: its normal course, and from a timeline to what a client sees. */

import type { Course } from '../../behaviours/jobs/job-kind.ts'
import { fold, type Timeline, type TimelineEntry } from '../../engine/timeline.ts'

export type VideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

export interface VideoFailure {
  readonly code: string
  readonly message: string
  readonly type: string
}

/** What a video shows at an instant. */
export interface VideoView {
  readonly status: VideoStatus
  readonly progress: number
  readonly error: VideoFailure | null
  /** Milliseconds from submission until it reached this status. */
  readonly since: number
  /** Unix seconds, or null, that a script sets instead of the derived values. */
  readonly completedAt: number | null | undefined
  readonly expiresAt: number | null | undefined
  /**
   * Fields of the video object that a script sets, instead of those that follow from the rest.
   */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields that a script does not show. */
  readonly unset: readonly string[]
}

/** The failure of a video when the plan names none. */
const defaultFailure = {
  code: 'video_generation_failed',
  message: 'The video could not be generated.',
}

/** Pending at first, in progress from 10 % of the duration, completed at its end. */
export const videoCourse: Course = {
  first: 'pending',
  moving: 'in_progress',
  done: 'completed',
  failed: 'failed',
  progress: 'progress',
  steps: [10, 25, 50, 75],
  begins: { error: null },
  errorOf: (failure) => failure ?? defaultFailure,
}

/**
 * The state of a video `elapsed` milliseconds after its submission. Scripts may set less than the default
 * timeline does: progress and error then follow from the status. What breaks the contract on purpose
 * (`asWritten`) is shown as written.
 */
export function videoView(timeline: Timeline, elapsed: number, asWritten = false): VideoView {
  const { state, unset, reached } = fold(timeline, elapsed)
  const {
    status: _status,
    progress: _progress,
    error,
    completed_at: completedAt,
    expires_at: expiresAt,
    ...others
  } = state
  const status = (state['status'] ?? 'pending') as VideoStatus
  const since = statusEntry(timeline.slice(0, reached))
  const progress = progressOf(timeline.slice(0, reached), since, status, state['progress'])
  return {
    status,
    progress: percent(progress),
    error: status === 'failed' ? failureOf(error ?? defaultFailure) : failureOf(error),
    since: since?.at ?? 0,
    completedAt: unixSecondsOrNull(completedAt),
    expiresAt: unixSecondsOrNull(expiresAt),
    fields: asWritten
      ? { ...others, ...definedFields({ progress, error, completed_at: completedAt, expires_at: expiresAt }) }
      : others,
    unset,
  }
}

// The entry that set the current status; repeating a status changes nothing.
function statusEntry(reached: readonly TimelineEntry[]): TimelineEntry | undefined {
  let found: TimelineEntry | undefined
  for (const entry of reached) {
    const status = entry.patch?.['status']
    if (status !== undefined && status !== found?.patch?.['status']) found = entry
  }
  return found
}

// The progress of a finished video does not move: a running ramp stops at the end, unless the script sets a
// number.
function progressOf(
  reached: readonly TimelineEntry[],
  since: TimelineEntry | undefined,
  status: VideoStatus,
  shown: unknown,
): unknown {
  const ended = status === 'completed' || status === 'failed'
  const after = since === undefined ? reached : reached.slice(reached.indexOf(since))
  const isScripted = after.some(
    (entry) => entry.patch?.['progress'] !== undefined || entry.ramps?.['progress'] !== undefined,
  )
  if (!ended || (isScripted && shown !== undefined)) return shown
  return status === 'completed' ? 100 : fold(reached, since?.at ?? 0).state['progress']
}

function percent(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(100, Math.max(0, Math.trunc(value)))
    : 0
}

// Contract 2.3: code, message and type, all strings.
function failureOf(error: unknown): VideoFailure | null {
  if (error === null || error === undefined || typeof error !== 'object') return null
  const { code, message, type } = error as Record<string, unknown>
  const word = typeof code === 'string' ? code : defaultFailure.code
  return {
    code: word,
    message: typeof message === 'string' ? message : defaultFailure.message,
    type:
      typeof type === 'string'
        ? type
        : /^(?:moderation|content_policy|invalid)/.test(word)
          ? 'video_generation_user_error'
          : 'server_error',
  }
}

const definedFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

// Unix seconds, within what a date can be.
function unixSecondsOrNull(value: unknown): number | null | undefined {
  if (value === null) return null
  return typeof value === 'number' && value >= 0 && value <= 8_640_000_000_000 ? Math.floor(value) : undefined
}
