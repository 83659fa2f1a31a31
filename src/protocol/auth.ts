/** Who calls, and which models they may use. */
import { redactKey } from '../engine/redact.ts'
import type { ApiKey } from './call.ts'
import type { Credential, EndpointGroup } from './endpoint.ts'
import { ApiError } from './errors.ts'
import type { Settings } from './settings.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** The key a call carries in one of the credentials, or undefined. Nothing is judged. */
export function findKey(headers: Headers, credentials: readonly Credential[]): string | undefined {
  for (const credential of credentials) {
    const value = keyIn(headers, credential)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/**
 * Judges the key that `findKey` has found (contract section 5). Throws 401 with what to send instead.
 */
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
    const got = credentials.find(({ header }) => headers[header] !== undefined)
    const reason =
      got === undefined
        ? 'no such header was sent'
        : `\`${got.header}\` holds no key${got.scheme === undefined ? '' : ` behind the word ${got.scheme}`}`
    throw new ApiError('authentication_error', `No API key: send ${wanted} (${reason}).`)
  }
  if (credentials.length > 1 && credentials.some((credential) => differs(keyIn(headers, credential), value)))
    throw new ApiError(
      'authentication_error',
      'Two different API keys in one request: send the key in one header only.',
    )
  if (settings.keys === undefined) return { value }
  if (!Object.hasOwn(settings.keys, value)) {
    throw new ApiError(
      'authentication_error',
      `Incorrect API key provided: ${redactKey(value)}. ${Object.keys(settings.keys).length} other ` +
        'key(s) are known (setting `keys`, or `account.keys` of a scenario).',
    )
  }
  return { value, models: settings.keys[value]?.models }
}

const differs = (other: string | undefined, value: string): boolean =>
  other !== undefined && other !== '' && other !== value

/** Whether a pattern of a setting means this model id: equal, or equal up to a final `*`. */
export function matchesModel(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id
}

/** Whether a model exists for this key: unknown to the gateway, not enabled for the key, or fine. */
export function modelAccess(
  model: string,
  key: ApiKey,
  catalog: NonNullable<EndpointGroup['catalog']>,
  settings: Settings,
): 'ok' | 'unknown' | 'not-enabled' {
  if (key.reservedModel === model) return 'ok'
  const known = settings.models[catalog]
  if (known !== undefined && !known.some((pattern) => matchesModel(pattern, model))) return 'unknown'
  if (key.models !== undefined && !key.models.some((pattern) => matchesModel(pattern, model)))
    return 'not-enabled'
  return 'ok'
}

function keyIn(headers: Headers, { header, scheme }: Credential): string | undefined {
  const value = headers[header]?.trim()
  if (value === undefined || scheme === undefined) return value
  if (value.startsWith(scheme) && value.charCodeAt(scheme.length) === 32)
    return value.slice(scheme.length + 1).trim()
  // Scheme names are case-insensitive (wire-formats 1.2).
  return value.slice(0, scheme.length + 1).toLowerCase() === `${scheme.toLowerCase()} `
    ? value.slice(scheme.length + 1).trim()
    : undefined
}
