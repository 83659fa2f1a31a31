/** Turns a step into the request that a client would send. */
import { createHash } from 'node:crypto'
import { defined, isFields } from '../engine/fields.ts'
import { type Credential, type Endpoint, nameFieldOf, paramsInName } from '../protocol/endpoint.ts'
import { namedType } from '../protocol/held-file.ts'
import type { Match, Route } from '../protocol/router.ts'
import type { ContentSpec } from '../scenario/format/given.ts'
import type { CallStep, FetchStep } from '../scenario/format/steps.ts'

/** The parts that requests are built from. */
export interface RequestParts {
  /** The base URL, without a trailing slash. */
  readonly base: string
  routeOf(operation: string): Route
  /** What is at a path: its operation knows how it expects the API key. */
  match(method: string, path: string): Match
  /** The key that is sent for a key of the scenario. */
  keyFor(name: string): string
  /** The key of steps without `key`. */
  readonly firstKey: string
  readonly headers: Readonly<Record<string, string>>
  bytesOf(content: ContentSpec): Promise<Uint8Array<ArrayBuffer>>
}

export interface Difference {
  /** As `body.data[0].url`. */
  readonly field: string
  readonly expected: string
  readonly got: string
}

/** Thrown if the values of a step make no valid request. */
export class Unsendable extends Error {
  readonly difference: Difference

  constructor(difference: Difference) {
    super(`${difference.field}: expected ${difference.expected}, got ${difference.got}`)
    this.difference = difference
  }
}

/** The request of a `call`; saved values are already filled in. */
export async function callRequest(step: CallStep, parts: RequestParts): Promise<StepRequest> {
  const { endpoint, group } = parts.routeOf(step.call)
  const given = withParams(step.with, endpoint)
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(given[name] ?? '')
    delete given[name]
    return endpoint.tail === true && endpoint.path.endsWith(`{${name}}`)
      ? value.split('/').map(encodeURIComponent).join('/')
      : encodeURIComponent(value)
  })
  const takesBody = endpoint.accepts.length > 0
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...(takesBody ? {} : given), ...step.query })) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, scalar(one))
  }
  const body = takesBody ? await bodyOf(given, endpoint.accepts, step.form === true, parts) : undefined

  const name = step.key ?? parts.firstKey
  const [credential] = group.credentials
  const keyed = endpoint.open !== true && name !== '' ? credential : undefined
  const headers: Record<string, string> = {
    ...group.clientHeaders,
    ...defined({ 'content-type': body?.type }),
    ...lowerCaseNames(parts.headers),
    ...lowerCaseNames(step.headers),
  }
  const queryString = query.toString()
  const credentials = keyed === undefined ? {} : credentialHeader(keyed, parts.keyFor(name))
  const { method } = endpoint
  return {
    operation: step.call,
    method,
    url: `${parts.base}${path}${queryString === '' ? '' : `?${queryString}`}`,
    headers,
    key: keyed === undefined ? undefined : name,
    credential: keyed?.header,
    body: body?.sent,
    init: {
      method,
      headers: { ...defined({ 'content-type': body?.boundary }), ...credentials, ...headers },
      body: body?.body,
    },
  }
}

/** The fields of a call: an omitted path parameter is read from the name of the polled operation. */
function withParams(given: CallStep['with'] = {}, endpoint: Endpoint): Record<string, unknown> {
  const field = nameFieldOf(endpoint)
  const name = field === undefined ? undefined : given[field]
  if (field === undefined || typeof name !== 'string') return { ...given }
  const fields = { ...paramsInName(endpoint.path, name), ...given }
  const missing = [...endpoint.path.matchAll(/([^/]+\/)\{(\w+)\}/g)].filter(
    ([, , param = '']) => fields[param] === undefined,
  )
  if (missing.length > 0)
    throw new Unsendable({
      field: `with.${field}`,
      expected: `a name that contains ${missing.map(([, collection]) => `${collection}…`).join(' and ')}`,
      got: JSON.stringify(name),
    })
  // Without a body, it would become a query parameter.
  if (endpoint.accepts.length === 0) delete fields[field]
  return fields
}

const credentialHeader = ({ header, scheme }: Credential, key: string): Record<string, string> => ({
  [header]: scheme === undefined ? key : `${scheme} ${key}`,
})

const bearer: Credential = { header: 'authorization', scheme: 'Bearer' }

/** How the operation at the URL of a `fetch` expects the API key. */
function credentialAt(match: Match): Credential {
  const credential = match.kind === 'found' ? match.route.group.credentials[0] : undefined
  return credential ?? bearer
}

/** The request of a `fetch`; saved values are already filled in. A path is relative to the gateway. */
export async function fetchRequest(step: FetchStep, parts: RequestParts): Promise<StepRequest> {
  const headers = lowerCaseNames(step.headers)
  const bytes = step.content === undefined ? undefined : await parts.bytesOf(step.content)
  const type = headers['content-type'] ?? (step.content === undefined ? '' : typeOf(step.content))
  const method = step.method ?? 'GET'
  const url = step.fetch.startsWith('/') ? `${parts.base}${step.fetch}` : step.fetch
  // API keys are sent only to this server: responses may contain URLs of others.
  const key = step.key === undefined || !isOfServer(url, parts.base) ? undefined : parts.keyFor(step.key)
  if (bytes !== undefined && type !== '') headers['content-type'] = type
  const credential =
    key === undefined ? undefined : credentialAt(parts.match(method, pathWithin(parts.base, url)))
  const credentials = credential === undefined ? {} : credentialHeader(credential, key ?? '')
  return {
    operation: undefined,
    method,
    url,
    headers,
    key: key === undefined ? undefined : step.key,
    credential: credential?.header,
    body: bytes === undefined ? undefined : { bytes: factsOf(bytes, type) },
    init: { method, headers: { ...credentials, ...headers }, body: bytes },
  }
}

/** The path of a URL, relative to the base URL. */
export function pathWithin(base: string, url: string): string {
  return (url.startsWith(base) ? url.slice(base.length) : url).replace(/[?#].*$/s, '')
}

const isOfServer = (url: string, base: string): boolean =>
  URL.canParse(url) && new URL(url).origin === new URL(base).origin

function factsOf(bytes: Uint8Array, type: string): BytesFacts {
  return { type, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

interface RequestBody {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly sent: SentBody
  /** The content type; undefined for forms, whose boundary is random. */
  readonly type?: string | undefined
  /** The content type of a form. */
  readonly boundary?: string | undefined
}

async function bodyOf(
  fields: Readonly<Record<string, unknown>>,
  accepts: readonly string[],
  asForm: boolean,
  parts: RequestParts,
): Promise<RequestBody> {
  if (accepts.includes('bytes')) {
    const content = fields['content']
    const bytes = isFile(content) ? await parts.bytesOf(contentOf(content)) : new Uint8Array(0)
    const type = isFile(content) ? (content.contentType ?? typeOf(content)) : 'application/octet-stream'
    return { body: bytes, sent: { bytes: factsOf(bytes, type) }, type }
  }
  const form =
    accepts.includes('form') &&
    (asForm ||
      !accepts.includes('json') ||
      Object.values(fields).some((value) => isFile(value) || (Array.isArray(value) && value.some(isFile))))
  if (!form) return { body: JSON.stringify(fields), sent: { json: fields }, type: 'application/json' }
  const data = new FormData()
  const sent: Extract<SentBody, { form: unknown }>['form'][number][] = []
  for (const [name, value] of Object.entries(fields)) {
    const list = Array.isArray(value) && value.some(isFile)
    // SDKs send several files of one field as `name[]`.
    for (const one of list ? (value as unknown[]) : [value]) {
      const key = list ? `${name}[]` : name
      if (isFile(one)) {
        const bytes = await parts.bytesOf(contentOf(one))
        const type = one.contentType ?? typeOf(one)
        const filename =
          one.filename ?? one.file?.split('/').at(-1) ?? (one.image === undefined ? 'file' : `${name}.png`)
        data.append(key, new File([bytes], filename, { type }))
        sent.push({ name: key, filename, file: factsOf(bytes, type) })
      } else {
        data.append(key, scalar(one))
        sent.push({ name: key, value: scalar(one) })
      }
    }
  }
  const written = new Response(data)
  const boundary = written.headers.get('content-type') ?? undefined
  return { body: new Uint8Array(await written.arrayBuffer()), sent: { form: sent }, boundary }
}

interface FormFile extends ContentSpec {
  readonly filename?: string
  readonly contentType?: string
}

const contentKeys = ['text', 'base64', 'file', 'image']
const fileKeys = [...contentKeys, 'filename', 'contentType']

// An object in a form must be a file: forms have no objects.
function isFile(value: unknown): value is FormFile {
  if (!isFields(value)) return false
  const names = Object.keys(value)
  return (
    names.every((name) => fileKeys.includes(name)) &&
    names.filter((name) => contentKeys.includes(name)).length === 1 &&
    !(names.includes('text') && value['type'] === 'text')
  )
}

/** Without its name and type, which have not been checked. */
function contentOf({ filename: _, contentType: __, ...content }: FormFile): ContentSpec {
  return content
}

function typeOf({ text, file = '', image }: ContentSpec): string {
  if (image !== undefined) return 'image/png'
  return text === undefined ? (namedType(file) ?? 'application/octet-stream') : 'text/plain'
}

function scalar(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

export const lowerCaseNames = <Value>(fields: Readonly<Record<string, Value>> = {}): Record<string, Value> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]))

interface BytesFacts {
  readonly type: string
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export type SentBody =
  | { readonly json: unknown }
  | {
      readonly form: readonly (
        | { readonly name: string; readonly value: string }
        | { readonly name: string; readonly filename: string; readonly file: BytesFacts }
      )[]
    }
  | { readonly bytes: BytesFacts }

/** The JSON that was sent, or the parts of the form: files in words. */
export function fieldsIn(body: SentBody | undefined): unknown {
  if (body === undefined || 'bytes' in body) return undefined
  if ('json' in body) return body.json
  return Object.fromEntries(
    body.form.map((part) => [
      part.name,
      'value' in part ? part.value : `${part.filename} (${part.file.type})`,
    ]),
  )
}

/** A request; `init` is for `fetch`, the rest for reports. */
export interface StepRequest {
  readonly operation: string | undefined
  readonly method: string
  readonly url: string
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>
  /** The name of the key in the scenario; undefined if none is sent. */
  readonly key: string | undefined
  /** The header with the key. */
  readonly credential: string | undefined
  readonly body: SentBody | undefined
  readonly init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | Uint8Array<ArrayBuffer> | undefined
  }
}
