/** Operations that exist when a scenario begins. */

import {
  coursePointOf,
  givenModel,
  givenRandom,
  givenTimeline,
  isMidCourse,
  type StatusWords,
} from '../../behaviours/jobs/given.ts'
import { freshId, withInitialStatus } from '../../behaviours/jobs/job.ts'
import { mintUuid, tagIn } from '../../engine/ids.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { GivenResource } from '../../protocol/scripted.ts'
import { defaultResolution, type OperationFacts, operationKind, operationTimeline } from './operation.ts'
import type { Resolution } from './schema.ts'

const statusWords: StatusWords = { first: 'PENDING', moving: 'RUNNING', done: 'SUCCEEDED', failed: 'FAILED' }

interface GivenFields {
  readonly id?: string
  readonly key?: string
  readonly model?: string
  readonly prompt?: string
  readonly aspectRatio?: string
  readonly resolution?: Resolution
  readonly generateAudio?: boolean
  readonly durationSeconds?: number
  readonly sampleCount?: number
}

/** Puts an operation into the world. Its fields are those of a timeline's entry, beside `Own`. */
export function putOperation(
  given: GivenResource,
  { world, settings }: Pick<Context, 'world' | 'settings'>,
): void {
  const {
    id: named,
    key,
    model,
    prompt,
    aspectRatio,
    resolution,
    generateAudio,
    durationSeconds,
    sampleCount,
    progressPercent: progress,
    ...shown
  } = given.fields as Record<string, unknown> & GivenFields
  const owner = key ?? ''
  const chance = givenRandom(operationKind, world)
  const id = named ?? freshId(operationKind, world, chance, (random) => mintUuid(world.tag, random))
  const facts: OperationFacts = {
    ...settings.operations.place,
    model: model ?? givenModel('veo-3.0-generate-001', 'operations', owner, settings),
    prompt: prompt ?? '',
    seconds: durationSeconds ?? 8,
    portrait: aspectRatio === '9:16',
    resolution: resolution ?? defaultResolution,
    samples: sampleCount ?? given.contents?.length ?? 1,
    silent: generateAudio === false,
    contents: given.contents,
    seed: chance.fork('operation').hex(16),
    ...(tagIn(id) === world.tag ? {} : { tag: world.tag }),
  }
  const status = shown['status'] ?? statusWords.done
  const follows = given.timeline === undefined && isMidCourse(status, progress, statusWords)
  const fields = { ...shown, ...(progress === undefined || follows ? {} : { progressPercent: progress }) }
  const { timeline, age } = givenTimeline(
    given,
    given.timeline === undefined ? { ...fields, status } : fields,
    'status',
    coursePointOf(status, progress, statusWords, settings.operations.duration, (job) =>
      operationTimeline(settings.operations.duration, job),
    ),
  )
  world.store.add({
    kind: operationKind,
    id,
    owner,
    bornAt: world.clock.now() - age,
    facts,
    timeline: withInitialStatus(timeline, statusWords.first),
    offContract: given.offContract,
  })
}
