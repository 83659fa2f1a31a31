/**
 * The source of an edit: an image by its URL or of an earlier job, with every rejection. Nothing is fetched.
 */
import { failed, succeeded } from '../../behaviours/image-jobs.ts'
import { isOwnedBy } from '../../behaviours/jobs/job.ts'
import { type ResolvedSource, sourceAt } from '../../behaviours/source-url.ts'
import { namedImage } from '../../behaviours/uploads/upload.ts'
import { digest, type Random } from '../../engine/random.ts'
import { stateOf } from '../../engine/resource.ts'
import { isListed, modelAccess, modelList } from '../../protocol/auth.ts'
import type { ApiKey, Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Settings } from '../../protocol/settings.ts'
import {
  fieldRejection,
  type ImageJob,
  jobImageUrl,
  limitSize,
  renderImageJob,
  type SeenImageJob,
  unsuitableField,
} from './image-job.ts'
import { imageJobsKind } from './kind.ts'
import { invalidUrl, isHttpUrl } from './schema.ts'

/** An existing job with its state, or an error message. Does not count as a poll. */
export function inspectJob(id: string, context: Context, now: number): SeenImageJob | string {
  const job = imageJobsKind.find(id, undefined, context)
  if (typeof job === 'string') return job
  const state = stateOf(job, now)
  return state.notFound ? imageJobsKind.goneMessage(id, context) : { job, ...state }
}

/** The job and the URL of its image. A script can set the URL. */
interface SourceJob {
  readonly source: ImageJob
  readonly address: string
}

/**
 * The source job. Throws a 400 with code 2004 if it is unsuitable, a 403 if its model is no longer enabled
 * for the API key.
 */
export function sourceJob(
  call: Call<{ readonly jobId: string; readonly imageNo: number }>,
  edit: Edit,
  context: Context,
): SourceJob {
  const { jobId, imageNo } = call.body
  const found = inspectJob(jobId, context, call.now)
  if (typeof found === 'string')
    throw unsuitableField('jobId', found.charAt(0).toLowerCase() + found.slice(1))
  const { job } = found
  if (!isOwnedBy(job, call.key.value))
    throw unsuitableField(
      'jobId',
      `the image job ${jobId} was submitted with another API key: use that API key for the edit`,
    )

  const { status, comment, urls, audits } = renderImageJob(found)
  if (status === failed)
    throw unsuitableField(
      'jobId',
      `the image job ${jobId} failed (status 3, ${comment}): expected a job that succeeded (status 2)`,
    )
  if (status !== succeeded)
    throw unsuitableField(
      'jobId',
      `the image job ${jobId} has not finished yet (status ${status}): poll GET /v1/tob/job/${jobId} ` +
        'until status 2 (succeeded)',
    )
  const images = urls ?? []
  if (imageNo >= images.length)
    throw unsuitableField('imageNo', `expected ${expectedIndexes(images.length)}, got ${imageNo}`)
  const blocked = audits?.[imageNo] ?? ''
  if (blocked !== '')
    throw unsuitableField(
      'imageNo',
      `expected an image that passed moderation, got image ${imageNo} of the source job (${blocked})`,
    )

  if (job.facts.reservedModel !== true) checkModel(job.facts.model, call.key, context.settings, 'jobId')
  checkEdit(job.facts.model, edit, context.settings, 'jobId')
  const address: unknown = images[imageNo]
  // A script may have set anything.
  return {
    source: job,
    address: typeof address === 'string' ? address : jobImageUrl(jobId, imageNo, job.facts.tag),
  }
}

function expectedIndexes(count: number): string {
  if (count === 0) return 'a source job with images (this source job has none)'
  return count === 1
    ? '0 (the source job has 1 image)'
    : `0 to ${count - 1} (the source job has ${count} images)`
}

/** The seed of an edit's result: from the request without URLs, and from the images at the URLs. */
export function drawingSeed(
  content: Random,
  start: ResolvedSource,
  mask?: ResolvedSource,
  areas?: unknown,
): string {
  return digest(JSON.stringify([content.hex(32), start.identity, mask?.identity, areas])).slice(0, 32)
}

/** The image at a URL. The size of a file is limited. */
export function resolveSource(address: string, context: Context, now: number): ResolvedSource {
  const start = sourceAt(address, context, now)
  return { ...start, size: start.size && limitSize(start.size) }
}

/** Throws a 400 or 403 for an unusable image or model, else returns the image. */
export function startFrom(
  { body: { imgUrl, model }, now }: Call<{ readonly imgUrl: string; readonly model: string }>,
  edit: Edit,
  context: Context,
): ResolvedSource {
  checkImageName(imgUrl, 'imgUrl', context)
  checkEdit(model, edit, context.settings, 'model')
  return resolveSource(imgUrl, context, now)
}

/** Throws a 400 with code 2004 for an invalid URL, a missing file or a file that is not an image. */
export function checkImageName(
  address: string | undefined,
  field: 'imgUrl' | 'mask.url',
  context: Context,
): void {
  if (address === undefined) return
  const named = namedImage(address, context)
  if (named.kind === 'wrong') throw unsuitableField(field, named.problem)
  if (named.kind === 'elsewhere' && !isHttpUrl(address)) throw unsuitableField(field, invalidUrl(address))
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

/** Throws a 403 if the API key may not use the model. `field` is the field of the model or of its job. */
export function checkModel(model: string, key: ApiKey, settings: Settings, field: 'model' | 'jobId'): void {
  const access = modelAccess(model, key, 'imageJobs', settings)
  if (access === 'ok') return
  const whose = field === 'model' ? `The model \`${model}\`` : `The model \`${model}\` of the source job`
  const reason =
    access === 'unknown'
      ? `is not an image job model: expected ${modelList(settings.models.imageJobs)} (setting ` +
        'models.imageJobs)'
      : `is not enabled for this API key. Enabled models: ${modelList(key.models)} (setting keys)`
  throw fieldRejection('permission_error', field, `${whose} ${reason}`)
}

/** Throws a 400 if the model version does not support the edit. */
function checkEdit(model: string, edit: Edit, settings: Settings, field: 'model' | 'jobId'): void {
  const supported = supportedEdits(model, settings)
  if (supported === undefined || supported.includes(edit)) return
  const can = supported.length === 0 ? 'no edits' : supported.map((name) => paths[name]).join(', ')
  throw unsuitableField(
    field,
    `the model ${model} does not support ${paths[edit]}: it supports ${can} (setting imageJobs.edits)`,
  )
}

// The most specific pattern wins: `v8.1` before `v8*`.
function supportedEdits(model: string, settings: Settings): readonly Edit[] | undefined {
  const patterns = Object.keys(settings.imageJobs.edits).filter((pattern) => isListed(model, [pattern]))
  const narrowest = patterns.sort(
    (a, b) => Number(b === model) - Number(a === model) || b.length - a.length,
  )[0]
  return narrowest === undefined ? undefined : settings.imageJobs.edits[narrowest]
}
