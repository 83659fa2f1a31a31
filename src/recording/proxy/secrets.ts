/** Finds secrets by the names of headers, query parameters and fields, and by values seen before. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { base64 } from '../../engine/bytes.ts'
import { percentDecoded } from '../../engine/fields.ts'

/** The replacement of a secret; valid wherever a string is. */
export const redactedWord = 'redacted'

/** One encoding of a secret, with its replacement. All texts are bytes as Latin-1. */
interface Spelling {
  readonly text: string
  readonly instead: string
}

const headerNames: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
])
const headerEndings = /(?:^|-)(?:api-?key|token|secret|signature|password)$/

/**
 * Query parameters of signed URLs (S3, COS, OSS, GCS, Azure, CloudFront), and of keys that some clients send.
 */
const queryNames = [
  'x-(?:amz|goog|oss|cos|bce|obs)-[\\w-]+',
  'q-(?:sign|ak|key|header|url|signature)[\\w-]*',
  '(?:aws|oss)?access_?key_?id',
  'googleaccessid',
  'expires(?:_?at|_?in)?',
  'signature|signed|sign|sig|policy|key-pair-id|security-token',
  '(?:(?:access|id|auth|session|security|refresh|sas)[_-]?)?token|(?:client[_-]?)?secret|password',
  '(?:[\\w-]*[_-])?(?:api_?key|auth_?key)|key|auth',
]

const fieldNames: ReadonlySet<string> = new Set([
  ...headerNames,
  ...['api_key', 'apikey', 'access_token', 'refresh_token', 'client_secret', 'x-api-key', 'x-goog-api-key'],
])

/** Shorter values would be found in unrelated words. */
const minLength = { credential: 6, signature: 20, base64: 8 } as const
const maxLearned = 250

export type Secrets = ReturnType<typeof createSecrets>

/** `named` has the user's names of headers, query parameters and fields, and values. */
export function createSecrets(named: readonly string[] = []) {
  const names = new Set(named.map((name) => name.toLowerCase()))
  const learned = new BoundedMap<readonly Spelling[]>({ count: maxLearned })
  const given = named.flatMap((name) => (looksLikeValue(name) ? spellingsOf(plainValue(name)) : []))
  let spellings: readonly Spelling[] = given
  const query = [...queryNames, ...named.map((name) => name.replaceAll(/\W/g, '\\$&'))].join('|')
  const queryName = new RegExp(`^(?:${query})$`, 'i')
  const remember = (value: string, least: number): void => {
    if (value.length < least || value === redactedWord) return
    if (learned.use(value) !== undefined) return
    learned.set(value, spellingsOf(value))
    // The longest first: a secret may be the beginning of another one.
    spellings = [...given, ...[...learned.values()].flat()].sort((a, b) => b.text.length - a.text.length)
  }
  /** Remembers a value that is secret everywhere. */
  const learn = (value: string): void => remember(value, minLength.credential)
  /** The same for a value that is useless without its URL, such as a signature. */
  const learnSigned = (value: string): void => {
    remember(value, minLength.signature)
    remember(percentDecoded(value) ?? value, minLength.signature)
  }
  const isCredential = (name: string): boolean => headerNames.has(name) || headerEndings.test(name)
  const isNamed = (name: string): boolean => names.has(name.toLowerCase())
  return {
    /** The names of secret query parameters, as the source of a regular expression. */
    query,
    isHeader: (name: string): boolean => isCredential(name) || isNamed(name),
    isQuery: (name: string): boolean => queryName.test(name),
    /** Whether the value of a field is redacted, which begins with this letter. */
    isField: (name: string, first: string | undefined): boolean =>
      // An object of such a name is a schema: `{ "api_key": { "type": "string" } }`.
      isNamed(name) || (fieldNames.has(name.toLowerCase()) && (first === '"' || first === '[')),
    learn,
    learnSigned,
    /** Remembers the secrets in the headers and the URL of a request. */
    learnFrom(headers: readonly (readonly [string, string])[], url: string): void {
      for (const [name, value] of headers)
        if (isCredential(name)) for (const secret of secretsIn(name, value)) learn(secret)
        else if (isNamed(name) && looksLikeValue(value)) learn(value)
      for (const [name, value] of new URL(url).searchParams)
        if (queryName.test(name) && /key|token|secret|password/i.test(name)) learn(value)
        else if (queryName.test(name)) learnSigned(value)
    },
    spellings: (): readonly Spelling[] => spellings,
  }
}

/**
 * `--redact` takes names and values. An argument is a value if it cannot be a name or begins with `value:`.
 */
function looksLikeValue(word: string): boolean {
  return word.startsWith('value:') || /[^\w.-]/.test(word) || (word.length >= 12 && /\d/.test(word))
}

const plainValue = (word: string): string => (word.startsWith('value:') ? word.slice(6) : word)

/** The secrets in a header: a key without its scheme, the parts of a password, each cookie. */
function secretsIn(name: string, value: string): string[] {
  if (name === 'cookie' || name === 'set-cookie')
    return value
      .split(';')
      .slice(0, name === 'set-cookie' ? 1 : undefined)
      .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  const [, scheme = '', rest = value] = /^([A-Za-z][\w-]*)\s+(.+)$/.exec(value.trim()) ?? []
  if (scheme.toLowerCase() !== 'basic') return [value.trim(), rest]
  const credentials = Buffer.from(rest, 'base64').toString('utf8')
  return [rest, credentials, credentials.slice(credentials.indexOf(':') + 1)]
}

/** The forms of a secret in JSON, URLs and base64, at each of the three alignments. */
function spellingsOf(value: string): Spelling[] {
  const bytes = Buffer.from(value, 'utf8')
  const plain = new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    value.replaceAll('/', '\\/'),
    value.replace(/[&<>='/+]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    encodeURIComponent(value),
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  ])
  const encoded = bytes.length < minLength.base64 ? [] : [0, 1, 2].map((offset) => base64Core(bytes, offset))
  const both = new Set(encoded.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))
  return [
    ...Array.from(plain, (text) => ({ text: toLatin1(text), instead: redactedWord })),
    // The replacement has the same length: the surrounding base64 can still be decoded.
    ...Array.from(both, (text) => ({
      text,
      instead: redactedWord.repeat(text.length).slice(0, text.length),
    })),
  ]
}

/** The characters that the bytes alone decide when they stand that far behind a border of three. */
function base64Core(bytes: Uint8Array, offset: number): string {
  const text = base64(Buffer.concat([Buffer.alloc(offset), bytes]))
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

export const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
export const fromLatin1 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')
