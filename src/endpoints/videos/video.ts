/** A video as a resource of a session (create, find, poll), and its wire format. */
import { isOwnedBy, poll, withoutUnset } from '../../behaviours/jobs/job.ts'
import { type Course, defineJobKind, givenOnCourse, submittedCourse } from '../../behaviours/jobs/job-kind.ts'
import { defined, isFields } from '../../engine/fields.ts'
import { mintId } from '../../engine/random.ts'
import { ageOf, type Resource } from '../../engine/resource.ts'
import { fold, type Timeline, type TimelineEntry } from '../../engine/timeline.ts'
import type { ApiKey, Call, HeldBytes } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'
import { defaultModel, defaultSeconds, defaultSize, durations, sizes } from './schema.ts'

/** The constant facts of a video. */
export interface VideoFacts {
  readonly model: string
  /** Only its first `maxPromptLength` characters: a session keeps thousands of videos. */
  readonly prompt: string
  readonly seconds: (typeof durations)[number]
  readonly size: (typeof sizes)[number]
  /** The seed of its content. */
  readonly seed: string
  readonly remixedFrom: string | undefined
  /** The name of its first image, for captions. */
  readonly reference?: string
  /** Its file, if a scenario gives one. */
  readonly content?: HeldBytes | undefined
}

export type Video = Resource<VideoFacts>

/** A video with its state at a time of the session's clock. */
/** How long a finished video can be downloaded, in virtual milliseconds. */
export const downloadPeriod = 24 * 3_600_000

export interface VideoSnapshot {
  readonly video: Video
  readonly view: VideoView
  /** Milliseconds since the epoch at which the content expires, once completed. */
  readonly expiresAt: number | undefined
}

const maxPromptLength = 4000

/** The default failure of a video. */
const defaultFailure = {
  code: 'video_generation_failed',
  message: 'The video could not be generated.',
}

/** Pending, in progress from 10% of the duration, completed at its end. */
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

const notFound = (message: string): ApiError =>
  new ApiError('not_found_error', message, { param: 'video_id' })

/** Videos as a kind, submitted and given. */
export const videoJobs = defineJobKind<VideoFacts>({
  resource: 'video',
  noun: 'video',
  expected: 'the `id` from a submission or remix response',
  catalog: 'videos',
  defaultModel,
  first: videoCourse.first,
  notFound: (sentence) => notFound(`${sentence}.`),
  mintId: (tag, random) => mintId('video_', tag, random),
  readGiven(fields, given, { settings, model, chance }) {
    const {
      prompt,
      seconds,
      size,
      remixed_from_video_id: remixedFrom,
      ...shown
    } = fields as typeof fields & { readonly prompt?: string; readonly remixed_from_video_id?: string }
    const facts: VideoFacts = {
      model,
      prompt: prompt ?? '',
      seconds: durations.find((known) => known === seconds) ?? defaultSeconds,
      size: sizes.find((known) => known === size) ?? defaultSize,
      seed: chance.fork('video').hex(16),
      remixedFrom,
      content: given.contents?.[0],
    }
    const { done, failed } = videoCourse
    const status = shown['status'] ?? (shown['error'] == null ? done : failed)
    const { duration } = settings.videos
    return { facts, ...givenOnCourse(videoCourse, shown, given, { status, duration }) }
  },
})

/** Adds a video to the session. Throws the planned rejection of an ambiguous submission. */
export function addVideo(
  facts: VideoFacts,
  birth: { readonly bornAt: number; readonly skip: number },
  call: Pick<Call, 'key' | 'identity' | 'plan' | 'now'>,
  { sandbox, settings }: Context,
): VideoSnapshot {
  const video = videoJobs.add(call, sandbox, {
    facts: { ...facts, prompt: clip(facts.prompt, maxPromptLength) },
    timeline: submittedCourse(
      videoCourse,
      videoJobs.resource,
      settings.videos.duration,
      call.plan.job,
      sandbox,
    ),
    birth,
  })
  return takeSnapshot(video, call.now)
}

/** The videos of an API key in the order of submission, without those in the state notFound. */
export function listVideosOf(key: ApiKey, now: number, { sandbox }: Context): Video[] {
  return sandbox.store
    .list<VideoFacts>(videoJobs.resource)
    .filter((video) => isOwnedBy(video, key.value) && !isGone(video, now))
    .sort((a, b) => a.bornAt - b.bornAt)
}

/**
 * The state for a poll: with the `auto` clock, a poll that would see no change advances the video. Throws a
 * 404 in the state notFound.
 */
export function pollVideo(video: Video, now: number, { sandbox }: Context): VideoSnapshot {
  poll(video, sandbox, now)
  return snapshotOf(video, now)
}

/** The state, without counting as a poll. Throws a 404 in the state notFound. */
export function snapshotOf(video: Video, now: number): VideoSnapshot {
  if (isGone(video, now))
    throw notFound(
      `The video \`${video.id}\` no longer exists: a scenario or an override removed it at ` +
        `${new Date(video.bornAt + vanishedAfter(video, now)).toISOString()}.`,
    )
  return takeSnapshot(video, now)
}

/** Its facts in responses: a script may set another size or duration, which also change the content. */
export function shownFacts({ video: { facts }, view: { fields } }: VideoSnapshot): VideoFacts {
  const { model, seconds, size } = fields
  return {
    ...facts,
    model: typeof model === 'string' ? model : facts.model,
    seconds: durations.find((known) => known === seconds) ?? facts.seconds,
    size: sizes.find((known) => known === size) ?? facts.size,
  }
}

function takeSnapshot(video: Video, now: number): VideoSnapshot {
  const view = videoView(video.timeline, ageOf(video, now), video.offContract)
  const natural = view.status === 'completed' ? video.bornAt + view.since + downloadPeriod : undefined
  if (view.expiresAt === undefined) return { video, view, expiresAt: natural }
  return { video, view, expiresAt: view.expiresAt === null ? undefined : view.expiresAt * 1000 }
}

/** Whether its timeline has reached the state notFound. */
export function isGone(video: Video, now: number): boolean {
  const age = ageOf(video, now)
  let isNotFound = false
  for (const entry of video.timeline) if (entry.at <= age) isNotFound = entry.notFound === true
  return isNotFound
}

function vanishedAfter(video: Video, now: number): number {
  const entries = video.timeline.filter((entry) => entry.at <= ageOf(video, now))
  const lastPresent = entries.findLastIndex((entry) => entry.notFound !== true)
  return entries[lastPresent + 1]?.at ?? 0
}

/** The fields of every video object, as a submission returns them; `statusFields` has more. */
export function commonFields(snapshot: VideoSnapshot) {
  const { completed_at, expires_at, remixed_from_video_id, ...shown } = snapshot.view.fields
  return withoutUnset({ ...baseFields(snapshot), ...shown }, snapshot.view.unset)
}

/** The video object of a remix: with the id of its source. */
export function remixFields(snapshot: VideoSnapshot) {
  const { remixed_from_video_id: source = snapshot.video.facts.remixedFrom } = snapshot.view.fields
  return withoutUnset({ ...commonFields(snapshot), remixed_from_video_id: source }, snapshot.view.unset)
}

/** The video object of a status query, and in a list. */
export function statusFields(snapshot: VideoSnapshot) {
  const { video, view, expiresAt } = snapshot
  // Fills one object: this runs on every poll, and spreading objects is slow.
  const completedAt = view.status === 'completed' ? unixSeconds(video.bornAt + view.since) : null
  const shown = Object.assign(baseFields(snapshot), {
    completed_at: view.completedAt === undefined ? completedAt : view.completedAt,
    expires_at: expiresAt === undefined ? null : unixSeconds(expiresAt),
    remixed_from_video_id: video.facts.remixedFrom ?? null,
  })
  return withoutUnset(Object.assign(shown, view.fields), view.unset)
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

export type VideoStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

export interface VideoFailure {
  readonly code: string
  readonly message: string
  readonly type: string
}

/** The state of a video at a time. */
export interface VideoView {
  readonly status: VideoStatus
  readonly progress: number
  readonly error: VideoFailure | null
  /** The time from submission to this status, in milliseconds. */
  readonly since: number
  /** Unix seconds or null from a script, instead of derived values. */
  readonly completedAt: number | null | undefined
  readonly expiresAt: number | null | undefined
  /** Fields of the video object that a script sets, instead of derived values. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields that a script removes. */
  readonly unset: readonly string[]
}

/**
 * The state of a video `elapsed` milliseconds after its submission. Scripts may set fewer fields than the
 * default timeline: progress and error then follow from the status. Contract violations (`asWritten`) are
 * kept as written.
 */
export function videoView(timeline: Timeline, elapsed: number, asWritten = false): VideoView {
  const { state, unset, reached } = fold(timeline, elapsed)
  const { error, completed_at: completedAt, expires_at: expiresAt } = state
  const others: Record<string, unknown> = {}
  for (const name in state) if (!derivedFields.has(name)) others[name] = state[name]
  const status = (state['status'] ?? 'pending') as VideoStatus
  const entries = timeline.slice(0, reached)
  const since = statusEntry(entries)
  const progress = progressOf(entries, since, status, state['progress'])
  return {
    status,
    progress: percent(progress),
    error: status === 'failed' ? failureOf(error ?? defaultFailure) : failureOf(error),
    since: since?.at ?? 0,
    completedAt: unixSecondsOrNull(completedAt),
    expiresAt: unixSecondsOrNull(expiresAt),
    fields: asWritten
      ? { ...others, ...defined({ progress, error, completed_at: completedAt, expires_at: expiresAt }) }
      : others,
    unset,
  }
}

const derivedFields: ReadonlySet<string> = new Set([
  'status',
  'progress',
  'error',
  'completed_at',
  'expires_at',
])

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

// Unix seconds within the range of a date.
function unixSecondsOrNull(value: unknown): number | null | undefined {
  if (value === null) return null
  return typeof value === 'number' && value >= 0 && value <= 8_640_000_000_000 ? Math.floor(value) : undefined
}
