/** Whether a model may evaluate decisions for this key (contract section 1). Knows nothing of questions. */
import { modelAccess } from '../../protocol/auth.ts'
import type { ApiKey } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import { matchesModel, type Settings } from '../../protocol/settings.ts'
import { clip } from '../../protocol/wording.ts'

/** Throws 404 for a model that the gateway does not know, 403 for one that is not enabled for the key. */
export function checkModel(model: string, key: ApiKey, settings: Settings): void {
  const access = modelAccess(model, key, 'systemone', settings)
  if (access === 'ok') return
  const named = `The model \`${clip(model, 200)}\``
  if (access === 'unknown') throw new ApiError('not_found_error', `${named} does not exist: the models of decision evaluation here are ${settings.catalog.systemone?.join(', ')} (setting catalog.systemone).`, { param: 'model' })
  throw new ApiError('permission_error', `${named} is not enabled for this API key: it may use ${key.models?.join(', ')} (setting keys).`, { param: 'model' })
}

/** The name under which the upstream answers: as configured, else the platform's own (contract 2.9 allows both). */
export function upstreamModel(model: string, { systemone }: Settings): string {
  return Object.entries(systemone.upstreamModels).find(([pattern]) => matchesModel(pattern, model))?.[1] ?? model
}
