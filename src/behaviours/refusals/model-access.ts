/** How chat, videos, operations and decision evaluation refuse a model (contract section 1). */
import { modelAccess } from '../../protocol/auth.ts'
import type { ApiKey } from '../../protocol/call.ts'
import type { EndpointGroup } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { clip } from '../../protocol/wording.ts'

/** The limits of model ids in a refusal. */
const maxShown = { characters: 200, ids: 10 } as const

/**
 * Throws 404 for an unknown model, 403 for one that the key may not use. The wording of the first is what
 * test suites of this family look for (wire-formats 1.3).
 */
export function checkModel(
  model: string,
  key: ApiKey,
  catalog: NonNullable<EndpointGroup['catalog']>,
  settings: Settings,
): void {
  const access = modelAccess(model, key, catalog, settings)
  if (access === 'ok') return
  const named = `The model \`${clip(model, maxShown.characters)}\``
  if (access === 'unknown')
    throw new ApiError(
      'not_found_error',
      `${named} does not exist or you do not have access to it. Known are ` +
        `${modelList(settings.models[catalog])} (setting models.${catalog}).`,
      { param: 'model' },
    )
  throw new ApiError(
    'permission_error',
    `${named} is not enabled for this API key: it may use ${modelList(key.models)} (setting keys).`,
    { param: 'model' },
  )
}

/** The first ten model ids, for a sentence. */
export function modelList(models: readonly string[] | undefined): string {
  if (models === undefined || models.length === 0) return 'none'
  const first = models
    .slice(0, maxShown.ids)
    .map((model) => clip(model, maxShown.characters))
    .join(', ')
  return models.length > maxShown.ids ? `${first} and ${models.length - maxShown.ids} more` : first
}
