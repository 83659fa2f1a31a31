/**
 * Signs and verifies upload URLs as object stores do: the signature covers method, key and time, but not the
 * host. The same seed gives the same signatures.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { digest } from '../../engine/random.ts'
import { show } from '../../protocol/wording.ts'

/** The signed values. */
export interface Signed {
  readonly method: string
  readonly bucket: string
  readonly key: string
}

/** Unix seconds, both inclusive. */
interface Validity {
  readonly from: number
  readonly until: number
}

export type Query = Readonly<Record<string, string | undefined>>

const signatureField = 'q-signature'

/** The signed parameters, in order. */
const parametersOf = ({ from, until }: Validity, id: string): readonly (readonly [string, string])[] => [
  ['q-sign-algorithm', 'sha256'],
  ['q-ak', id],
  ['q-sign-time', `${from};${until}`],
  ['q-key-time', `${from};${until}`],
  ['q-header-list', ''],
  ['q-url-param-list', ''],
]

/** The query of a signed URL. `tampered` makes the signature invalid. */
export function signedQuery(
  signed: Signed,
  validity: Validity,
  seed: string,
  { tampered = false } = {},
): string {
  const parameters = parametersOf(validity, accessKeyId(seed))
  const right = signature(signed, parameters, seed)
  const shown = tampered ? right.replace(/^./, (first) => (first === '0' ? '1' : '0')) : right
  return [...parameters, [signatureField, shown] as const]
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Verifies the query of a URL: the result is a missing or wrong signature, or the expiry time. */
export function checkQuery(
  signed: Signed,
  query: Query,
  seed: string,
): 'unsigned' | 'mismatch' | { readonly until: number } {
  const written = query[signatureField]
  if (written === undefined || written === '') return 'unsigned'
  const covered: [string, string][] = []
  for (const [name] of parametersOf({ from: 0, until: 0 }, '')) {
    const value = query[name]
    // Some parameters are signed as empty strings; without them, the signature does not match.
    if (value === undefined) return 'mismatch'
    covered.push([name, value])
  }
  const until = query['q-sign-time']?.split(';')[1] ?? ''
  if (!/^\d{1,12}$/.test(until) || written !== signature(signed, covered, seed)) return 'mismatch'
  return { until: Number(until) }
}

// A constant-time comparison is unnecessary, because there is no secret.
function signature(
  { method, bucket, key }: Signed,
  parameters: readonly (readonly [string, string])[],
  seed: string,
): string {
  const text = [method, bucket, key, ...parameters.map(([name, value]) => `${name}=${value}`)].join('\n')
  return bytesToHex(hmac(sha256, utf8ToBytes(`upload ${seed}`), utf8ToBytes(text)))
}

const accessKeyId = (seed: string): string => `AKID${digest(`upload key ${seed}`).slice(0, 28)}`

/** As in COS; OSS allows 1,023. */
const maxPathBytes = 850

/**
 * The key of a path, without a leading slash, or what is wrong with it. The contract gives no rules; these
 * follow object stores, and keep a path from leading to another file.
 */
export function readObjectKey(path: string): { readonly key: string } | { readonly problem: string } {
  const key = path.startsWith('/') ? path.slice(1) : path
  const bytes = new TextEncoder().encode(key).length
  const segment = key.split('/').find((part) => part === '' || /^(?:\.|%2e){1,2}$/i.test(part))
  if (key === '' || key.endsWith('/'))
    return { problem: `expected the path of a file, such as images/cat.png, got ${show(path)}` }
  if (segment !== undefined)
    return { problem: `expected no empty segment and no "." or "..", got "${segment}"` }
  if (!key.isWellFormed() || /[\u0000-\u001f\u007f\\]/.test(key))
    return { problem: `expected Unicode without control characters and backslashes, got ${show(path)}` }
  if (bytes > maxPathBytes) return { problem: `expected at most ${maxPathBytes} UTF-8 bytes, got ${bytes}` }
  return { key }
}
