/**
 * The operations that submit image jobs: from a prompt, from an image by its URL, from an image of an earlier
 * job. What comes out depends on the images, not on their URLs or jobs.
 */

import { imageJobKind } from '../../behaviours/image-jobs.ts'
import { earliestEnd, skipWait } from '../../behaviours/jobs/job.ts'
import { formatDuration } from '../../engine/duration.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint, type Unplanned } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import type { Settings } from '../../protocol/settings.ts'
import {
  defaultSize,
  extendSize,
  hasEnded,
  type ImageJob,
  type ImageJobFacts,
  type ImageSpec,
  imagesFrom,
  limitSize,
  rejectionCode,
  sizeInPrompt,
} from './image-job.ts'
import { fastCostFrom, imageJobsKind, sampleImage, samplePrompt, sampleSource, seedIn } from './kind.ts'
import {
  createBody,
  imageJobResponse,
  panBody,
  promptIn,
  removeBackgroundBody,
  retextureBody,
  uploadPaintBody,
  variationBody,
} from './schema.ts'
import { checkModel, startAt, startFromJob } from './source.ts'

const submission = {
  method: 'POST',
  accepts: ['json'],
  job: { submits: imageJobsKind },
  response: imageJobResponse,
  promptOf: promptIn,
  check({ body: { model }, key }: Unplanned<Readonly<Record<string, unknown>>>, settings: Settings): void {
    if (typeof model === 'string') checkModel(model, key, settings, 'model')
  },
} as const

/** An edit of an image of an earlier job. */
const ofJob = {
  ...submission,
  job: {
    ...submission.job,
    concerns: {
      kind: imageJobsKind,
      id: (_: unknown, { jobId }: Readonly<Record<string, unknown>>) => jobId as string | undefined,
    },
  },
  contentIgnores: ['jobId'],
  idsIn: { body: ['jobId'] },
} as const

/** Images from a prompt. Path and fields are those of the upstream. */
export const createImageJob = defineEndpoint({
  ...submission,
  operation: 'imageJobs.create',
  path: '/v1/tob/diffusion',
  summary: 'Create an image job from a prompt',
  inferred: 'the contract mentions this operation without a path or fields, so both follow the upstream API',
  sampleCall: () => ({ model: 'image-job-v7', text: samplePrompt }),
  body: createBody,
  act(call, context) {
    const { model, text } = call.body
    return submitImageJob(call, context, {
      model,
      text,
      images: { size: sizeInPrompt(text) ?? defaultSize, seed: call.content.hex(32) },
    })
  },
})

/** Repaints the masked part of an image on a canvas. */
export const uploadPaint = defineEndpoint({
  ...submission,
  operation: 'imageJobs.uploadPaint',
  path: '/v1/tob/upload-paint',
  summary: 'Repaint parts of an image on a canvas',
  sampleCall: () => ({
    model: 'image-job-v7',
    imgUrl: sampleImage,
    mask: { url: sampleImage },
    canvas: { width: 200, height: 200 },
    imgPos: { width: 100, height: 100, x: 0, y: 0 },
    remixPrompt: samplePrompt,
  }),
  body: uploadPaintBody,
  // The result depends on the images, not on their URLs; `startAt` adds the areas.
  contentIgnores: ['imgUrl', 'mask'],
  act(call, context) {
    const { model, mask, canvas, remixPrompt } = call.body
    const start = startAt('uploadPaint', call, context, { ...mask, areas: mask.areas ?? [] })
    return submitImageJob(call, context, {
      model,
      text: remixPrompt,
      images: { ...start, size: limitSize(canvas) },
    })
  },
})

/** Redraws an image from a new prompt. */
export const retexture = defineEndpoint({
  ...submission,
  operation: 'imageJobs.retexture',
  path: '/v1/tob/retexture',
  summary: 'Redraw an image with a new prompt',
  sampleCall: () => ({ model: 'image-job-v7', imgUrl: sampleImage, remixPrompt: samplePrompt }),
  body: retextureBody,
  contentIgnores: ['imgUrl'],
  act(call, context) {
    const { model, remixPrompt } = call.body
    const start = startAt('retexture', call, context)
    const size = sizeInPrompt(remixPrompt) ?? start.size ?? defaultSize
    return submitImageJob(call, context, { model, text: remixPrompt, images: { ...start, size } })
  },
})

/** Extends an image of an earlier job in one direction. */
export const pan = defineEndpoint({
  ...ofJob,
  operation: 'imageJobs.pan',
  path: '/v1/tob/pan',
  summary: 'Extend an image from an earlier job in one direction',
  sampleCall: () => ({ ...sampleSource, direction: 1, scale: 1.5, remixPrompt: samplePrompt }),
  body: panBody,
  act(call, context) {
    const { direction, scale } = call.body
    const { images, ...job } = startFromJob('pan', call, context)
    const size = extendSize(images.size, direction, scale)
    return submitImageJob(call, context, { ...job, images: { ...images, size } })
  },
})

/** Cuts out the subject of an image. The result is one image. */
export const removeBackground = defineEndpoint({
  ...submission,
  operation: 'imageJobs.removeBackground',
  path: '/v1/tob/remove-background',
  summary: 'Remove the background from an image',
  sampleCall: () => ({ model: 'image-job-v7', imgUrl: sampleImage }),
  body: removeBackgroundBody,
  job: { ...submission.job, images: 1 },
  contentIgnores: ['imgUrl'],
  act(call, context) {
    const start = startAt('removeBackground', call, context)
    return submitImageJob(call, context, {
      model: call.body.model,
      text: undefined,
      images: { ...start, size: start.size ?? defaultSize, count: 1, transparent: true },
    })
  },
})

/** Varies an image of an earlier job. */
export const variation = defineEndpoint({
  ...ofJob,
  operation: 'imageJobs.variation',
  path: '/v1/tob/variation',
  summary: 'Create a variation of an image from an earlier job',
  sampleCall: () => ({ ...sampleSource, type: 1, remixPrompt: samplePrompt }),
  body: variationBody,
  act(call, context) {
    const { images, ...job } = startFromJob('variation', call, context)
    const size = sizeInPrompt(call.body.remixPrompt) ?? images.size
    return submitImageJob(call, context, { ...job, images: { ...images, size } })
  },
})

/** The job that an operation submits. */
interface Submission {
  readonly model: string
  readonly text: string | undefined
  readonly images: ImageSpec
  /** The source job; the new job shares its local time. */
  readonly source?: ImageJob
}

const noneBlocked: readonly number[] = []

/** Submits a job. Throws a 429 over the limit, or the planned rejection of a job that continues anyway. */
function submitImageJob(
  call: Call,
  context: Context,
  { model, text, images, source }: Submission,
): PlainResponse {
  const { sandbox, settings } = context
  checkActiveLimit(sandbox, call.key.value, settings, call.now)
  const facts: ImageJobFacts = {
    model,
    reservedModel: source?.facts.reservedModel ?? call.key.reservedModel === model,
    text,
    seed: seedIn(text) ?? call.identity.fork('job seed').integer(0, 4294967295),
    images: imagesFrom(images, model, text, sandbox),
    fastCost: fastCostFrom(call.content.fork('cost')),
    blocked: call.plan.job?.blocked ?? noneBlocked,
  }
  return imageJobsKind.submit(call, context, facts, source)
}

/**
 * Throws a 429 if the API key has the maximum of active jobs. With the `auto` clock, it then finishes the job
 * that ends first.
 */
function checkActiveLimit(sandbox: Sandbox, owner: string, settings: Settings, now: number): void {
  const limit = settings.limits.activeImageJobs
  // The cheap upper bound makes the exact count unnecessary for most requests.
  if (sandbox.store.maxActive(imageJobKind, owner) < limit) return
  const active = sandbox.store.active(imageJobKind, owner, now, hasEnded)
  if (active.length < limit) return
  const first = earliestEnd(active, now, hasEnded)
  const wait =
    first === undefined
      ? 'No timeline finishes these jobs: finish one through the control API first'
      : `The next job finishes in ${formatDuration(first.inMs)}: submit again after that`
  if (first !== undefined) skipWait(first.resource, sandbox, first.inMs, now)
  throw new ApiError(
    'rate_limit_error',
    `too many active image jobs: this API key has ${active.length}, expected at most ${limit} (setting ` +
      `limits.activeImageJobs). ${wait}.`,
    {
      code: rejectionCode('rate_limit_error') as number,
      ...(first === undefined ? {} : { retryAfterMs: first.inMs }),
    },
  )
}
