/** A video as a resource of a session, created, found and polled; and on the wire (contract 2.3). */
import type { SourceRef } from '../../behaviours/image-series.ts'
import { isOwnedBy, poll, withoutUnset } from '../../behaviours/jobs/job.ts'
import { courseTimeline, defineJobKind, givenOnCourse } from '../../behaviours/jobs/job-kind.ts'
import { mintId } from '../../engine/random.ts'
import { ageOf, type Resource } from '../../engine/resource.ts'
import type { ApiKey, Call, HeldBytes } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { plannedError } from '../../protocol/plan.ts'
import type { Settings } from '../../protocol/settings.ts'
import { clip } from '../../protocol/wording.ts'
import { defaultModel, defaultSeconds, defaultSize, durations, sizes } from './schema.ts'
import { type VideoView, videoCourse, videoView } from './unfold-video.ts'

/** What never changes about a video. */
export interface VideoFacts {
  readonly model: string
  /** Only its first `maxPromptLength` characters: a session keeps thousands of videos. */
  readonly prompt: string
  readonly seconds: (typeof durations)[number]
  readonly size: (typeof sizes)[number]
  /** The seed of what it shows. */
  readonly seed: string
  readonly remixedFrom: string | undefined
  /** The image that it begins with. */
  readonly reference?: SourceRef
  /** The seed of the video that it begins like. */
  readonly begins?: string
  /** Its file, where a scenario gives one. */
  readonly content?: HeldBytes | undefined
}

export type Video = Resource<VideoFacts>

/** A video with its state at an instant of the session's clock. */
export interface VideoSnapshot {
  readonly video: Video
  readonly view: VideoView
  /** Milliseconds since the epoch at which the content expires, once completed. */
  readonly expiresAt: number | undefined
}

const maxPromptLength = 4000

/** Videos as a kind, submitted and given. */
export const videoJobs = defineJobKind<VideoFacts>({
  resource: 'video',
  noun: 'video',
  expected: 'an id that POST /v1/videos or a remix has returned',
  catalog: 'videos',
  defaultModel,
  first: videoCourse.first,
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

/**
 * Adds a video to the session. Throws the planned refusal if the submission should fail although its video
 * exists.
 */
export function addVideo(
  facts: VideoFacts,
  birth: { readonly bornAt: number; readonly skip: number },
  call: Pick<Call, 'key' | 'identity' | 'plan' | 'now'>,
  { world, settings }: Context,
): VideoSnapshot {
  const video = videoJobs.add(call, world, {
    facts: { ...facts, prompt: clip(facts.prompt, maxPromptLength) },
    timeline: courseTimeline(videoCourse, settings.videos.duration, call.plan.job),
    birth,
  })
  if (call.plan.refuse?.jobContinues === true) throw plannedError(call.plan.refuse, video.id)
  return takeSnapshot(video, call.now, settings)
}

/**
 * The video with an id, for the key that submitted it, even if it has vanished. Throws 404 that says where it
 * was looked for.
 */
export function findVideo(id: string, key: ApiKey, context: Context): Video {
  const found = videoJobs.find(id, key.value, context)
  if (typeof found === 'string') throw notFound(`${found}.`)
  return found
}

/** The videos of a key in the order of submission, without vanished ones. */
export function listVideosOf(key: ApiKey, now: number, { world }: Context): Video[] {
  return world.store
    .list<VideoFacts>(videoJobs.resource)
    .filter((video) => isOwnedBy(video, key.value) && !isGone(video, now))
    .sort((a, b) => a.bornAt - b.bornAt)
}

/**
 * The state for a poll: in `auto`, a poll that would see no change moves the video on. Throws 404 when it has
 * vanished.
 */
export function pollVideo(video: Video, now: number, { world, settings }: Context): VideoSnapshot {
  poll(video, world, now)
  return snapshotOf(video, now, settings)
}

/** The state, without counting as a poll. Throws 404 when it has vanished. */
export function snapshotOf(video: Video, now: number, settings: Settings): VideoSnapshot {
  if (isGone(video, now))
    throw notFound(
      `The video \`${video.id}\` was here and is gone: it vanished at ` +
        `${new Date(video.bornAt + vanishedAfter(video, now)).toISOString()}, as a scenario or a change of ` +
        'its state has it.',
    )
  return takeSnapshot(video, now, settings)
}

/**
 * Its facts as clients see them: a script may set another size or length, and the content follows.
 */
export function shownFacts({ video: { facts }, view: { fields } }: VideoSnapshot): VideoFacts {
  const { model, seconds, size } = fields
  return {
    ...facts,
    model: typeof model === 'string' ? model : facts.model,
    seconds: durations.find((known) => known === seconds) ?? facts.seconds,
    size: sizes.find((known) => known === size) ?? facts.size,
  }
}

function takeSnapshot(video: Video, now: number, settings: Settings): VideoSnapshot {
  const view = videoView(video.timeline, ageOf(video, now), video.offContract)
  const natural =
    view.status === 'completed' ? video.bornAt + view.since + settings.videos.expiresAfter : undefined
  return {
    video,
    view,
    expiresAt:
      view.expiresAt === undefined ? natural : view.expiresAt === null ? undefined : view.expiresAt * 1000,
  }
}

/** Whether it has vanished by its timeline. */
export function isGone(video: Video, now: number): boolean {
  return reachedEntries(video, now).at(-1)?.gone === true
}

function vanishedAfter(video: Video, now: number): number {
  const entries = reachedEntries(video, now)
  const lastPresent = entries.findLastIndex((entry) => entry.gone !== true)
  return entries[lastPresent + 1]?.at ?? 0
}

const reachedEntries = (video: Video, now: number) =>
  video.timeline.filter((entry) => entry.at <= ageOf(video, now))

const notFound = (message: string): ApiError =>
  new ApiError('not_found_error', message, { param: 'video_id' })

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
