/** Authentication, and access to models. */
import { redactKey } from '../engine/redact.ts'
import { counted } from '../text/printable.ts'
import type { ApiKey } from './call.ts'
import type { Credential, EndpointGroup } from './endpoint.ts'
import { ApiError } from './errors.ts'
import type { Settings } from './settings.ts'
import { clip } from './wording.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** The API key of a call, unvalidated, or undefined. */
export function findKey(headers: Headers, credentials: readonly Credential[]): string | undefined {
  for (const { header, scheme } of credentials) {
    let value = headers[header]?.trim()
    if (value === undefined) continue
    if (scheme !== undefined) {
      // Scheme names are case-insensitive.
      const isWritten =
        value.startsWith(scheme) || value.slice(0, scheme.length).toLowerCase() === scheme.toLowerCase()
      value = isWritten && value.charCodeAt(scheme.length) === 32 ? value.slice(scheme.length + 1).trim() : ''
    }
    if (value !== '') return value
  }
  return undefined
}

/** The headers in which clients send API keys; each API reads one or two of them. */
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

/** Validates the result of `findKey`. Throws a 401 that names the expected header. */
export function authenticate(
  value: string | undefined,
  headers: Headers,
  credentials: readonly Credential[],
  settings: Settings,
): ApiKey {
  if (value === undefined) {
    const wanted = credentials
      .map(({ header, scheme }) => `\`${header}: ${scheme === undefined ? '' : `${scheme} `}<API_KEY>\``)
      .join(' or ')
    // Without its value, which may be a secret.
    const got = keyHeaders.find((header) => headers[header] !== undefined)
    const isWanted = credentials.some(({ header }) => header === got)
    const sent = got === undefined ? 'no such header' : `\`${got}\`${isWanted ? ' in another form' : ''}`
    throw new ApiError('authentication_error', `No API key: send ${wanted} (got ${sent}).`)
  }
  if (credentials.length > 1 && credentials.some((one) => (findKey(headers, [one]) ?? value) !== value))
    throw new ApiError(
      'authentication_error',
      'The request has two different API keys: send the key in only one header.',
    )
  if (settings.keys === undefined) return { value }
  const listed = listedKey(value, settings.keys)
  if (listed === undefined)
    throw new ApiError(
      'authentication_error',
      `Incorrect API key provided: ${redactKey(value)}. The \`keys\` setting (or \`keys\` in a scenario) ` +
        `lists ${counted(Object.keys(settings.keys).length, 'valid API key')}.`,
    )
  return { value, models: settings.keys[listed]?.models }
}

/** The key of the settings that a request sends: itself, or as `sk-sim-<session>-<key>`. */
function listedKey(value: string, keys: NonNullable<Settings['keys']>): string | undefined {
  if (Object.hasOwn(keys, value)) return value
  const inSession = /^sk-sim-[a-z0-9]{1,32}-(.+)$/.exec(value)?.[1]
  return inSession !== undefined && Object.hasOwn(keys, inSession) ? inSession : undefined
}

/** Whether a pattern of a setting matches a model id; a final `*` matches any ending. */
export function isListed(model: string, patterns: readonly string[]): boolean {
  for (const pattern of patterns)
    if (pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model) return true
  return false
}

/** The limits of model ids in an error message. */
const maxShown = { characters: 200, ids: 10 } as const

/** Why an API key may not use a model, as a sentence without full stop; undefined if it may. */
export function modelProblem(
  model: string,
  key: ApiKey,
  catalog: NonNullable<EndpointGroup['catalog']>,
  settings: Settings,
): { readonly type: 'not_found_error' | 'permission_error'; readonly message: string } | undefined {
  if (key.reservedModel === model) return undefined
  const known = settings.models[catalog]
  if (known !== undefined && !isListed(model, known)) {
    // Test suites of clients expect the first words.
    const message =
      `The model \`${clip(model, maxShown.characters)}\` does not exist or you do not have access to it. ` +
      `Known models: ${modelList(known)} (setting models.${catalog})`
    return { type: 'not_found_error', message }
  }
  if (key.models === undefined || isListed(model, key.models)) return undefined
  const message =
    `The model \`${clip(model, maxShown.characters)}\` is not enabled for this API key. ` +
    `Enabled models: ${modelList(key.models)} (setting keys)`
  return { type: 'permission_error', message }
}

/** Throws a 404 for an unknown model, a 403 for a model that the API key may not use. */
export function checkModel(
  model: string,
  key: ApiKey,
  catalog: NonNullable<EndpointGroup['catalog']>,
  settings: Settings,
): void {
  const problem = modelProblem(model, key, catalog, settings)
  if (problem !== undefined) throw new ApiError(problem.type, `${problem.message}.`, { param: 'model' })
}

/** The first ten model ids, for a sentence. */
function modelList(models: readonly string[]): string {
  if (models.length === 0) return 'none'
  const first = models
    .slice(0, maxShown.ids)
    .map((model) => clip(model, maxShown.characters))
    .join(', ')
  return models.length > maxShown.ids ? `${first} and ${models.length - maxShown.ids} more` : first
}
