/** Image jobs that exist when a scenario begins. */

import { failed, imageJobKind, running, succeeded, waiting } from '../../behaviours/image-jobs.ts'
import { type CoursePoint, givenModel, givenRandom, givenTimeline } from '../../behaviours/jobs/given.ts'
import { freshId, withInitialStatus } from '../../behaviours/jobs/job.ts'
import { mintUuid, tagIn } from '../../engine/ids.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { GivenResource } from '../../protocol/scripted.ts'
import type { ImageJobFacts } from './image-job.ts'
import { defaultSize, imagesFrom, sizeInPrompt } from './job-images.ts'
import { seedIn } from './submit.ts'
import { jobTimeline, type TimelineOptions, waitingTimeline } from './timeline.ts'

/**
 * Adds a job to the world. Its fields are those of the job object, and `key`, `model` and `pictures`.
 */
export function putImageJob(
  given: GivenResource,
  { world, settings }: Pick<Context, 'world' | 'settings'>,
): void {
  const {
    id: named,
    key,
    model,
    text,
    seed,
    pictures,
    ...shown
  } = given.fields as Record<string, unknown> & {
    id?: string
    key?: string
    model?: string
    text?: string
    seed?: number
    pictures?: number
  }
  const owner = key ?? ''
  const chance = givenRandom(imageJobKind, world)
  const id = named ?? freshId(imageJobKind, world, chance, (random) => mintUuid(world.tag, random))
  const urls = Array.isArray(shown['urls']) ? shown['urls'].length : 0
  const listed = [urls, given.contents?.length ?? 0].find((length) => length >= 1 && length <= 4)
  const count = pictures ?? listed ?? 4
  const status = shown['status'] ?? succeeded
  const { timeline, age } = givenTimeline(
    given,
    given.timeline === undefined ? { ...shown, status } : shown,
    'status',
    coursePointAt(
      status,
      { duration: settings.imageJobs.duration, count, plan: {}, cost: chance.fork('cost') },
      shown['comment'],
    ),
  )
  const jobModel = model ?? givenModel('image-job-v7', 'imageJobs', owner, settings)
  const facts: ImageJobFacts = {
    model: jobModel,
    text,
    seed: seed ?? seedIn(text) ?? chance.fork('job seed').integer(0, 4294967295),
    images: imagesFrom(
      {
        size: sizeInPrompt(text) ?? defaultSize,
        count,
        seed: chance.fork('pictures').hex(32),
        model: jobModel,
        text,
      },
      world,
    ),
    blocked: [],
    contents: given.contents,
    ...(tagIn(id) === world.tag ? {} : { tag: world.tag }),
  }
  world.store.add({
    kind: imageJobKind,
    id,
    owner,
    bornAt: world.clock.now() - age,
    facts,
    timeline: withInitialStatus(timeline, running),
    offContract: given.offContract,
  })
}

function coursePointAt(status: unknown, course: TimelineOptions, comment: unknown): CoursePoint | undefined {
  const { duration } = course
  switch (status) {
    case waiting:
      return { course: waitingTimeline(course), at: 0, ended: false }
    case running:
      return { course: jobTimeline(course), at: Math.round(duration / 2), ended: false }
    case succeeded:
      return { course: jobTimeline(course), at: duration, ended: true }
    case failed: {
      const message = typeof comment === 'string' ? comment : 'JobStatusFail'
      return {
        course: jobTimeline({ ...course, plan: { failure: { code: message, message } } }),
        at: duration,
        ended: true,
      }
    }
    default:
      return undefined
  }
}
