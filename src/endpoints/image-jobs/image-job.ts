/** An image job: its state in the session, its images, its wire format and its errors. */
import type * as z from 'zod'
import { failed, type JobImageFacts, running, succeeded } from '../../behaviours/image-jobs.ts'
import { captionPrompt, type ImageSeries } from '../../behaviours/image-series.ts'
import { markOffContract, withoutUnset } from '../../behaviours/jobs/job.ts'
import type { SeenJob } from '../../behaviours/jobs/kind.ts'
import type { Resource } from '../../engine/resource.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { FoldedState } from '../../engine/timeline.ts'
import { ApiError, type RejectionType, rejections } from '../../protocol/errors.ts'
import { json, originMark, type PlainResponse } from '../../protocol/response.ts'
import type { imageJobResponse } from './schema.ts'

/** The constant facts of a job. */
export interface ImageJobFacts extends JobImageFacts {
  readonly model: string
  /** Whether the model is a reserved value, which is in no catalog. */
  readonly reservedModel?: boolean
  readonly text: string | undefined
  readonly seed: number
  /** Its cost once it has succeeded. */
  readonly fastCost: number
}

export type ImageJob = Resource<ImageJobFacts>
export type SeenImageJob = SeenJob<ImageJobFacts>
export type ImageJobResponse = z.output<ReturnType<typeof imageJobResponse>>

// By status.
const comments = ['JobStatusQueued', 'JobStatusRunning', 'JobStatusSuccess', 'JobStatusFail'] as const
/** For a status that the contract does not have. */
const unknownComment = 'JobStatusUnknown'

/** The default `comment` of a status. */
export const commentOf = (status: unknown): string =>
  (comments as Readonly<Record<number, string>>)[status as number] ?? unknownComment

/** The entry in `audits` for a blocked image. */
const auditReason = 'blocked by the image audit'

/** Whether a job no longer counts as active. */
export function hasEnded({ notFound, state }: FoldedState): boolean {
  return notFound || state['status'] === succeeded || state['status'] === failed
}

/**
 * The job object. A timeline needs to set only `status`; the other fields follow. A blocked image keeps its
 * URL, because `audits` is parallel to `urls`, but cannot be downloaded.
 */
export function renderImageJob({ job, state, reached }: SeenImageJob): ImageJobResponse {
  const { id, facts } = job
  const status = (state['status'] ?? running) as ImageJobResponse['status']
  const urls: string[] = []
  const audits: string[] = []
  const count = status === succeeded ? facts.images.count : 0
  for (let index = 0; index < count; index++) {
    urls.push(jobImageUrl(id, index, facts.tag))
    audits.push(facts.blocked.includes(index) ? auditReason : '')
  }
  // Fills one object: this runs on every poll, and spreading objects is slow.
  const head = facts.text === undefined ? { id } : { id, text: facts.text }
  const rest = { status, urls, comment: commentOf(status), cost: null, audits, seed: facts.seed }
  const shown: ImageJobResponse = Object.assign(head, rest, state)
  const { cost } = shown
  if (cost !== null && typeof cost === 'object' && !Array.isArray(cost))
    shown.cost = Object.assign(defaultCost(job, reached), cost)
  return shown
}

/** The response to submissions and polls, without the fields that a script removes. */
export const showImageJob = (seen: SeenImageJob): PlainResponse =>
  markOffContract(json(withoutUnset(renderImageJob(seen), seen.unset), { links: true }), seen.job)

// A timeline may set only some fields of the contract's cost object.
function defaultCost(
  { id, bornAt, timeline }: ImageJob,
  reached: number,
): NonNullable<ImageJobResponse['cost']> {
  const since = timeline.slice(0, reached).findLast(({ patch }) => patch?.['cost'] !== undefined)?.at ?? 0
  return {
    jobId: id,
    feeCost: null,
    fastCost: 0,
    relaxCost: 0,
    costAt: new Date(bornAt + since).toISOString(),
  }
}

/** Pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The images that an operation generates: PNG, by default four opaque ones. */
export interface ImageSpec {
  readonly size: Size
  readonly seed: string
  readonly count?: number
  readonly transparent?: boolean
  /** The operation and its source, for captions; undefined for images from a prompt alone. */
  readonly how?: string
}

/** The images of a job. */
export function imagesFrom(
  { size: { width, height }, seed, count = 4, transparent = false, how }: ImageSpec,
  model: string,
  text: string | undefined,
  sandbox: Sandbox,
): ImageSeries {
  return {
    count,
    width,
    height,
    format: 'png',
    transparent,
    seed,
    prompt: captionPrompt(text, sandbox),
    facts: how === undefined ? [model] : [model, how],
  }
}

const defaultSide = 1024
/** The longest side of a drawn image, in pixels. */
const maxSide = 4096

/**
 * The size in a prompt (`--ar W:H`), with a longer side of 1024; undefined without one. The last occurrence
 * wins.
 */
export function sizeInPrompt(prompt: string | undefined): Size | undefined {
  // Most prompts have no parameters, and matching all is slow.
  if (prompt?.includes('--') !== true) return undefined
  const [, width, height] =
    [...prompt.matchAll(/(?:^|\s)--(?:ar|aspect)\s+(\d{1,4}):(\d{1,4})(?=\s|$)/g)].at(-1) ?? []
  const ratio = { width: Number(width ?? 0), height: Number(height ?? 0) }
  return ratio.width > 0 && ratio.height > 0
    ? scaleSize(ratio, defaultSide / Math.max(ratio.width, ratio.height))
    : undefined
}

export const defaultSize: Size = { width: defaultSide, height: defaultSide }

/**
 * The size, with a longer side of at most 4096: a canvas may have any size, but the image has to be drawn.
 */
export function limitSize(size: Size): Size {
  const side = Math.max(size.width, size.height)
  return side <= maxSide ? size : scaleSize(size, maxSide / side)
}

/**
 * A size extended by `scale` in a direction: 0 (down) and 2 (up) make it higher, 1 (right) and 3 (left)
 * wider.
 */
export function extendSize(size: Size, direction: 0 | 1 | 2 | 3, scale: number): Size {
  const sideways = direction % 2 === 1
  // The source keeps its size, so the sides are limited separately.
  const reach = (side: number): number => Math.min(maxSide, Math.round(side * scale))
  return {
    width: sideways ? reach(size.width) : size.width,
    height: sideways ? size.height : reach(size.height),
  }
}

/**
 * The URL of image `index` (0-based) of a job. It contains the session's `tag` if the job id does not,
 * because downloads take no API key.
 */
export function jobImageUrl(jobId: string, index: number, tag?: string): string {
  const name = `${tag === undefined ? '' : `${tag}-`}${index}.png`
  return `${originMark}/media/image-jobs/${encodeURIComponent(jobId)}/${name}`
}

function scaleSize(size: Size, factor: number): Size {
  return {
    width: Math.max(1, Math.round(size.width * factor)),
    height: Math.max(1, Math.round(size.height * factor)),
  }
}

const codes: Partial<Readonly<Record<RejectionType, number>>> = {
  invalid_request_error: 2004,
  downstream_unavailable: 2002,
  rate_limit_error: 2007,
}

/** The documented code of a rejection; undefined if it is the HTTP status. */
export function rejectionCode(type: RejectionType): number | undefined {
  return codes[type]
}

/**
 * 400 with code 2004: the parameters, the source job or the endpoint are unsuitable. `message` follows the
 * name of the field.
 */
export function unsuitableField(field: string, message: string): ApiError {
  return fieldRejection('invalid_request_error', field, `\`${field}\`: ${message}`)
}

/** A rejection about one field, with one detail. `sentence` has no full stop. */
export function fieldRejection(type: RejectionType, field: string, sentence: string): ApiError {
  const code = rejectionCode(type) ?? rejections[type].status
  return new ApiError(type, `${sentence}.`, {
    code,
    param: field,
    details: [{ code, message: sentence, field }],
  })
}

/** A 404. `sentence` has no full stop. */
export function notFound(field: 'jobId' | 'image', sentence: string): ApiError {
  return fieldRejection('not_found_error', field, sentence)
}

/** Why an image of a job cannot be used, as a sentence without full stop; undefined if it can. */
export function imageProblem(
  seen: SeenImageJob,
  index: number | undefined,
): { readonly of: 'job' | 'image'; readonly message: string } | undefined {
  const { id } = seen.job
  const { status, comment, urls, audits } = renderImageJob(seen)
  if (status !== succeeded) {
    const expected = 'expected status 2 (succeeded)'
    const message = `The image job ${id} has no images: ${expected}, got ${status} (${comment})`
    return { of: 'job', message }
  }
  const count = (urls ?? []).length
  if (index === undefined) return undefined
  if (index >= count) {
    const message = `Expected a number below ${count} (the images of the image job ${id}), got ${index}`
    return { of: 'image', message }
  }
  const audit = audits?.[index] ?? ''
  if (audit === '') return undefined
  return { of: 'image', message: `Image ${index} of the image job ${id} did not pass moderation (${audit})` }
}
