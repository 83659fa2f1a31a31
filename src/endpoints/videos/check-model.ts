/** Whether a video model may be used at all (contract 1). Knows nothing of videos. */
import { modelAccess } from '../../protocol/auth.ts'
import type { ApiKey } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Settings } from '../../protocol/settings.ts'

/** Throws 404 for a model that the gateway does not know, 403 for one that is not enabled for the key. */
export function checkModel(model: string, key: ApiKey, settings: Settings): void {
  const access = modelAccess(model, key, 'videos', settings)
  if (access === 'unknown') {
    const known = settings.catalog.videos?.join(', ')
    throw new ApiError('not_found_error', `The model \`${model}\` does not exist${known === undefined ? '' : `: the video models here are ${known} (setting catalog.videos)`}.`, { param: 'model' })
  }
  if (access === 'not-enabled') {
    throw new ApiError('permission_error', `The model \`${model}\` is not enabled for this API key: it may use ${key.models?.join(', ')} (setting keys).`, { param: 'model' })
  }
}
