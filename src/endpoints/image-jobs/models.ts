/** Which models a key may use for image jobs, and which edits a model supports. */
import { isListed, modelAccess, modelList } from '../../protocol/auth.ts'
import type { ApiKey } from '../../protocol/call.ts'
import type { Settings } from '../../protocol/settings.ts'
import { fieldRefusal, unsuitableField } from './refusals.ts'

/** An operation that the version of a model may lack. */
export type Edit = Settings['imageJobs']['operations'][string][number]

const paths: Readonly<Record<Edit, string>> = {
  variation: 'variation',
  pan: 'pan',
  retexture: 'retexture',
  uploadPaint: 'upload-paint',
  removeBackground: 'remove-background',
}

/**
 * Throws 403 when the key may not use the model. `field` names the model, or the job that has it.
 */
export function checkModel(model: string, key: ApiKey, settings: Settings, field: 'model' | 'jobId'): void {
  const access = modelAccess(model, key, 'imageJobs', settings)
  if (access === 'ok') return
  const whose = field === 'model' ? `The model \`${model}\`` : `The model \`${model}\` of the source job`
  const reason =
    access === 'unknown'
      ? [
          `is unknown to image jobs: they know ${modelList(settings.models.imageJobs)} (setting`,
          'models.imageJobs)',
        ].join(' ')
      : `is not enabled for this API key: it may use ${modelList(key.models)} (setting keys)`
  throw fieldRefusal('permission_error', field, `${whose} ${reason}`)
}

/** Throws 400 when the version of the model lacks the operation (contract 4.1). */
export function checkEdit(model: string, edit: Edit, settings: Settings, field: 'model' | 'jobId'): void {
  const supported = supportedEdits(model, settings)
  if (supported === undefined || supported.includes(edit)) return
  const can = supported.length === 0 ? 'no edit' : supported.map((name) => paths[name]).join(', ')
  throw unsuitableField(
    field,
    `the model ${model} does not support ${paths[edit]}, it supports ${can} (setting imageJobs.operations)`,
  )
}

// The most specific pattern wins: `v8.1` says more about v8.1 than `v8*`.
function supportedEdits(model: string, settings: Settings): readonly Edit[] | undefined {
  const patterns = Object.keys(settings.imageJobs.operations).filter((pattern) => isListed(model, [pattern]))
  const narrowest = patterns.sort(
    (a, b) => Number(b === model) - Number(a === model) || b.length - a.length,
  )[0]
  return narrowest === undefined ? undefined : settings.imageJobs.operations[narrowest]
}
