/** A video as a resource of a session: created, found, polled and removed. */

import type { SourceRef } from '../../behaviours/image-series.ts'
import { freshId, isOffContract, isOwnedBy, poll } from '../../behaviours/jobs/job.ts'
import { lostIdClause } from '../../behaviours/jobs/lost-id.ts'
import { mintId } from '../../engine/ids.ts'
import { ageOf, type Resource } from '../../engine/resource.ts'
import type { ApiKey, Call, HeldBytes } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { plannedError } from '../../protocol/plan.ts'
import type { Settings } from '../../protocol/settings.ts'
import { clip } from '../../protocol/wording.ts'
import { durations, sizes } from './schema.ts'
import { type VideoView, videoTimeline, videoView } from './unfold-video.ts'

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

/** The store's name for videos. */
export const videoKind = 'video'
const maxPromptLength = 4000

/**
 * Adds a video to the session. Throws the planned refusal if the submission should fail although its video
 * exists.
 */
export function addVideo(
  facts: VideoFacts,
  birth: { readonly bornAt: number; readonly skip?: number },
  call: Pick<Call, 'key' | 'identity' | 'plan' | 'now'>,
  { world, settings }: Context,
): VideoSnapshot {
  const id = freshId(videoKind, world, call.identity, (identity) => mintId('video_', world.tag, identity))
  const video = world.store.add({
    kind: videoKind,
    id,
    owner: call.key.value,
    facts: { ...facts, prompt: clip(facts.prompt, maxPromptLength) },
    timeline: videoTimeline(settings.videos.duration, call.plan.job),
    offContract: isOffContract(call.plan),
    ...birth,
  })
  if (call.plan.refuse?.jobContinues === true) throw plannedError(call.plan.refuse, id)
  return takeSnapshot(video, call.now, settings)
}

/**
 * The video with an id, for the key that submitted it, even if it has vanished. Throws 404 that says where it
 * was looked for.
 */
export function findVideo(id: string, key: ApiKey, { world, settings }: Context): Video {
  const found = world.store.find<VideoFacts>(videoKind, id)
  if (found === 'dropped') {
    throw notFound(
      [
        `The video \`${id}\` was dropped: the session "${world.name}" keeps ${settings.memory.resources}`,
        'jobs and videos, the oldest finished ones go first (setting memory.resources).',
      ].join(' '),
    )
  }
  if (found === undefined)
    throw notFound(
      [
        `There is no video \`${id}\` in the session "${world.name}": expected an id that POST /v1/videos`,
        `or a remix has returned there${lostIdClause(id, world)}.`,
      ].join(' '),
    )
  if (!isOwnedBy(found, key.value))
    throw notFound(
      [
        `There is no video \`${id}\` for this API key in the session "${world.name}": another key`,
        'submitted it, use that one.',
      ].join(' '),
    )
  return found
}

/** The videos of a key in the order of submission, without vanished ones. */
export function listVideosOf(key: ApiKey, now: number, { world }: Context): Video[] {
  return world.store
    .list<VideoFacts>(videoKind)
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
      [
        `The video \`${video.id}\` was here and is gone: it vanished at`,
        `${new Date(video.bornAt + vanishedAfter(video, now)).toISOString()}, as a scenario or a change of`,
        'its state has it.',
      ].join(' '),
    )
  return takeSnapshot(video, now, settings)
}

/** Removes a video from the session. */
export function removeVideo(video: Video, { world }: Context): void {
  world.store.remove(videoKind, video.id)
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
