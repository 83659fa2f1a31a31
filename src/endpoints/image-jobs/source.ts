/**
 * The source of an edit: an image by its URL or of an earlier job, with every rejection. Nothing is fetched.
 */
import { type ResolvedSource, sourceAt } from '../../behaviours/source-url.ts'
import { namedImage } from '../../behaviours/uploads/upload.ts'
import { digest } from '../../engine/random.ts'
import { isListed, modelProblem } from '../../protocol/auth.ts'
import type { ApiKey, Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Settings } from '../../protocol/settings.ts'
import {
  fieldRejection,
  type ImageJob,
  imageProblem,
  jobImageUrl,
  limitSize,
  renderImageJob,
  type Size,
  unsuitableField,
} from './image-job.ts'
import { imageJobsKind } from './kind.ts'
import { invalidUrl, isHttpUrl } from './schema.ts'

/** What an edit knows of its source: the size of the image, and how the results follow from it. */
interface Start {
  /** Undefined for an image that is elsewhere. */
  readonly size: Size | undefined
  readonly seed: string
  readonly how: string
}

/** What the results depend on besides the source and the content of the request. */
interface Mask {
  readonly image?: ResolvedSource | undefined
  readonly areas?: unknown
}

// The results depend on the images, not on their URLs.
function startOf(edit: Edit, { content }: Call, source: ResolvedSource, { image, areas }: Mask = {}): Start {
  const inputs = JSON.stringify([content.hex(32), source.identity, image?.identity, areas])
  return {
    size: source.size && limitSize(source.size),
    seed: digest(inputs).slice(0, 32),
    how: `${paths[edit]} of ${source.name}`,
  }
}

/** The image at a URL. Throws a 400 with code 2004 for one that cannot be used. */
export function startAt(
  edit: Edit,
  call: Call<{ readonly imgUrl: string; readonly model: string }>,
  context: Context,
  mask: { readonly url?: string | undefined; readonly areas?: unknown } = {},
): Start {
  const { imgUrl, model } = call.body
  checkEdit(model, edit, context.settings, 'model')
  checkImageName(mask.url, 'mask.url', context)
  checkImageName(imgUrl, 'imgUrl', context)
  const image = mask.url === undefined ? undefined : sourceAt(mask.url, context, call.now)
  return startOf(edit, call, sourceAt(imgUrl, context, call.now), { image, areas: mask.areas })
}

/** An edit of an image of an earlier job. */
interface JobEdit {
  readonly source: ImageJob
  readonly model: string
  readonly text: string | undefined
  readonly images: Start & { readonly size: Size }
}

/**
 * The image of an earlier job. Throws a 400 with code 2004 if it cannot be used, a 403 if its model is no
 * longer enabled for the API key.
 */
export function startFromJob(
  edit: Edit,
  call: Call<{ readonly jobId: string; readonly imageNo: number; readonly remixPrompt?: string | undefined }>,
  context: Context,
): JobEdit {
  const { jobId, imageNo, remixPrompt } = call.body
  const found = imageJobsKind.inspect(jobId, call.key.value, call, context)
  if (typeof found === 'string') throw unsuitableField('jobId', found)
  const problem = imageProblem(found, imageNo)
  if (problem !== undefined)
    throw unsuitableField(problem.of === 'job' ? 'jobId' : 'imageNo', problem.message)
  const { job } = found
  const { model, text, images, tag, reservedModel } = job.facts
  if (reservedModel !== true) checkModel(model, call.key, context.settings, 'jobId')
  checkEdit(model, edit, context.settings, 'jobId')
  const address: unknown = renderImageJob(found).urls?.[imageNo]
  // A script may have set anything.
  const url = typeof address === 'string' ? address : jobImageUrl(jobId, imageNo, tag)
  const start = startOf(edit, call, sourceAt(url, context, call.now))
  return { source: job, model, text: remixPrompt ?? text, images: { ...start, size: start.size ?? images } }
}

/** Throws a 400 with code 2004 for an invalid URL, a missing file or a file that is not an image. */
function checkImageName(address: string | undefined, field: 'imgUrl' | 'mask.url', context: Context): void {
  if (address === undefined) return
  const named = namedImage(address, context)
  if (named.kind === 'wrong') throw unsuitableField(field, named.problem)
  if (named.kind === 'elsewhere' && !isHttpUrl(address)) throw unsuitableField(field, invalidUrl(address))
}

/** Throws a 403 if the API key may not use the model. `field` is the field of the model or of its job. */
export function checkModel(model: string, key: ApiKey, settings: Settings, field: 'model' | 'jobId'): void {
  const problem = modelProblem(model, key, 'imageJobs', settings)
  if (problem !== undefined) throw fieldRejection('permission_error', field, problem.message)
}

/** An edit that a model version may not support. */
type Edit = Settings['imageJobs']['edits'][string][number]

const paths: Readonly<Record<Edit, string>> = {
  variation: 'variation',
  pan: 'pan',
  retexture: 'retexture',
  uploadPaint: 'upload-paint',
  removeBackground: 'remove-background',
}

/** Throws a 400 if the model version does not support the edit. */
function checkEdit(model: string, edit: Edit, { imageJobs }: Settings, field: 'model' | 'jobId'): void {
  // The most specific pattern wins: `v8.1` before `v8*`.
  const [pattern] = Object.keys(imageJobs.edits)
    .filter((listed) => isListed(model, [listed]))
    .sort((a, b) => Number(b === model) - Number(a === model) || b.length - a.length)
  const supported = pattern === undefined ? undefined : imageJobs.edits[pattern]
  if (supported === undefined || supported.includes(edit)) return
  const known = supported.length === 0 ? 'no edits' : supported.map((name) => paths[name]).join(', ')
  throw unsuitableField(
    field,
    `the model ${model} does not support ${paths[edit]}: it supports ${known} (setting imageJobs.edits)`,
  )
}
