/** Videos that exist when a scenario begins. */

import {
  coursePointOf,
  givenModel,
  givenRandom,
  givenTimeline,
  isMidCourse,
  type StatusWords,
} from '../../behaviours/jobs/given.ts'
import { freshId, withInitialStatus } from '../../behaviours/jobs/job.ts'
import { mintId } from '../../engine/ids.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { GivenResource } from '../../protocol/scripted.ts'

import { defaultModel, defaultSeconds, defaultSize, durations, sizes } from './schema.ts'
import { videoTimeline } from './unfold-video.ts'
import { type VideoFacts, videoKind } from './video.ts'

const statusWords: StatusWords = {
  first: 'pending',
  moving: 'in_progress',
  done: 'completed',
  failed: 'failed',
}

/** Puts a video into the world. Its fields are those of the video object, beside `key` and `prompt`. */
export function putVideo(
  given: GivenResource,
  { world, settings }: Pick<Context, 'world' | 'settings'>,
): void {
  const {
    id: named,
    key,
    model,
    prompt,
    seconds,
    size,
    remixed_from_video_id: remixedFrom,
    progress,
    ...shown
  } = given.fields as Record<string, unknown> & {
    id?: string
    key?: string
    model?: string
    prompt?: string
    remixed_from_video_id?: string
  }
  const owner = key ?? ''
  const chance = givenRandom(videoKind, world)
  const id = named ?? freshId(videoKind, world, chance, (random) => mintId('video_', world.tag, random))
  const facts: VideoFacts = {
    model: model ?? givenModel(defaultModel, 'videos', owner, settings),
    prompt: prompt ?? '',
    seconds: durations.find((known) => known === seconds) ?? defaultSeconds,
    size: sizes.find((known) => known === size) ?? defaultSize,
    seed: chance.fork('video').hex(16),
    remixedFrom,
    content: given.contents?.[0],
  }
  const status = shown['status'] ?? (shown['error'] == null ? statusWords.done : statusWords.failed)
  const place = coursePointOf(status, progress, statusWords, settings.videos.duration, (job) =>
    videoTimeline(settings.videos.duration, job),
  )
  const follows = given.timeline === undefined && isMidCourse(status, progress, statusWords)
  const fields = { ...shown, ...(progress === undefined || follows ? {} : { progress }) }
  const { timeline, age } = givenTimeline(
    given,
    given.timeline === undefined ? { ...fields, status } : fields,
    'status',
    place,
  )
  world.store.add({
    kind: videoKind,
    id,
    owner,
    bornAt: world.clock.now() - age,
    facts,
    timeline: withInitialStatus(timeline, statusWords.first),
    offContract: given.offContract,
  })
}
