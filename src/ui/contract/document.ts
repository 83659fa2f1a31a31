/** The OpenAPI document as the page shows it: operations, and requests that fill them in. */
import { baseUrl, quoted } from '../calls/copy.ts'
import type { Schema, Schemas } from './schema-words.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
}

interface Example {
  readonly summary?: string
  readonly value: unknown
}

/** A media type of a request, with its examples by name. */
export interface BodyType {
  readonly type: string
  readonly examples: Readonly<Record<string, Example>>
  readonly schema: Schema
  /** Those that `schema` refers to. */
  readonly schemas: Schemas
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** The header that carries the API key; undefined if the operation needs none. */
  readonly keyHeader: string | undefined
  readonly bodies: readonly BodyType[]
}

interface WrittenOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: BodyType['examples']; readonly schema: Schema }>
    >
  }
}

export interface OpenapiDocument {
  readonly tags: readonly { readonly name: string; readonly 'x-displayName'?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation>>>>
  readonly components: { readonly schemas: Schemas }
}

/** The operations in the order of the document. */
export function operationsOf({ paths, tags, components: { schemas } }: OpenapiDocument): Operation[] {
  const titles = new Map(tags.map(({ name, 'x-displayName': title }) => [name, title ?? name]))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]): Operation => {
      const { operationId: id, tags: [tag = ''] = [], summary = '', description = '' } = written
      const scheme = Object.keys(written.security?.[0] ?? {})[0]
      return {
        ...{ id, path, summary, description, method: method.toUpperCase() },
        group: titles.get(tag) ?? tag,
        parameters: written.parameters ?? [],
        keyHeader: scheme === 'bearer' ? 'authorization' : scheme,
        bodies: Object.entries(written.requestBody?.content ?? {}).map(
          ([type, { examples = {}, schema }]) => ({ type, examples, schema, schemas }),
        ),
      }
    }),
  )
}

export function matches({ id, method, path, summary }: Operation, filter: string): boolean {
  const text = `${id} ${method} ${path} ${summary}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A field of a multipart form. */
export interface FormField {
  readonly name: string
  readonly text: string
  /** The name of the file in the example; undefined for a text. */
  readonly fileName: string | undefined
}

/** The fields of an example: `(the bytes of fox.png)` stands for a file. */
function fieldsOf(value: unknown): FormField[] {
  return Object.entries((value ?? {}) as Readonly<Record<string, unknown>>).flatMap(([name, inner]) =>
    [inner].flat().map((one) => {
      const text = typeof one === 'object' ? JSON.stringify(one) : String(one)
      return { name, text, fileName: /^\(the bytes of (.+)\)$/.exec(text)?.[1] }
    }),
  )
}

/** What the form of an operation holds. */
export interface Filled {
  /** By place and name: `path video_id`. */
  readonly parameters: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly type: string | undefined
  readonly text: string
  /** Replaces the text. */
  readonly file: File | undefined
  readonly fields: readonly FormField[]
}

/** Takes the place of the path in an upload, which needs the signature in the query of the URL. */
export const uploadUrl = 'signed upload_url'

const keyOf = ({ in: place, name }: Parameter): string => `${place} ${name}`

const isUpload = ({ bodies }: Operation): boolean => bodies[0]?.type === 'application/octet-stream'

/** The form as it opens: the examples of the document, and a valid API key. */
export function filledWith(operation: Operation, apiKey: string, body = operation.bodies[0]): Filled {
  const { parameters, keyHeader } = operation
  const key = keyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey
  const headers = parameters.filter((one) => one.in === 'header')
  return {
    parameters: isUpload(operation)
      ? { [uploadUrl]: '' }
      : Object.fromEntries(
          parameters
            .filter((one) => one.in !== 'header')
            .map((one) => [keyOf(one), one.required === true ? String(one.example ?? '') : '']),
        ),
    headers: Object.fromEntries([
      ...(keyHeader === undefined ? [] : [[keyHeader, key]]),
      ...headers.map(({ name, required, example }) => [name, required ? String(example ?? '') : '']),
    ]),
    ...bodyOf(body, Object.keys(body?.examples ?? {})[0]),
  }
}

/** The body of a form with an example of a media type. */
export function bodyOf(
  body: BodyType | undefined,
  example: string | undefined,
): Pick<Filled, 'type' | 'text' | 'file' | 'fields'> {
  const value = example === undefined ? undefined : body?.examples[example]?.value
  const isForm = body?.type === 'multipart/form-data'
  const text =
    value === undefined || isForm ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return { type: body?.type, text, file: undefined, fields: isForm ? fieldsOf(value) : [] }
}

/** The URL of a request; `prefix` replaces that of the control API. */
export function urlOf({ path, parameters }: Operation, filled: Filled, prefix: string): string {
  const signed = filled.parameters[uploadUrl]
  if (signed !== undefined) return signed
  const query = new URLSearchParams()
  let result = path.replace(/^\/__sim/, prefix)
  for (const parameter of parameters) {
    const value = filled.parameters[keyOf(parameter)] ?? ''
    // A parameter can take the rest of the path.
    const encoded = value.split('/').map(encodeURIComponent).join('/')
    if (parameter.in === 'path') result = result.replace(`{${parameter.name}}`, () => encoded)
    if (parameter.in === 'query' && value !== '') query.set(parameter.name, value)
  }
  return baseUrl() + result + (query.size === 0 ? '' : `?${query}`)
}

/** The headers to send, without empty ones. */
export function headersOf({ headers, type }: Filled): Record<string, string> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
  // The browser adds the boundary of a form.
  if (type !== undefined && type !== 'multipart/form-data') sent['content-type'] = type
  return sent
}

export function asCurl(
  { method }: Operation,
  filled: Filled,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  for (const { name, text, fileName } of filled.fields)
    lines.push(`-F ${quoted(`${name}=${fileName === undefined ? text : `@${fileName}`}`)}`)
  if (filled.file !== undefined) lines.push(`--data-binary ${quoted(`@${filled.file.name}`)}`)
  else if (filled.text !== '') lines.push(`--data-binary ${quoted(filled.text)}`)
  return lines.join(' \\\n  ')
}
