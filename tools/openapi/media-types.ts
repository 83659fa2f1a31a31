/** Values in each kind of body: files in forms, long strings in examples. */
import { isSchema, type Schema } from './json-schema.ts'
import type { ExampleCall } from './notes.ts'

/** The schema of a form, with binary strings as files. */
export function withFiles(schema: Schema): Schema {
  return change(schema, (file) => ({
    type: 'string',
    format: 'binary',
    ...(file['description'] === undefined ? {} : { description: file['description'] }),
  }))
}

/** The schema of a JSON body, without alternatives that are files. */
export function withoutFiles(schema: Schema): Schema {
  return change(schema, () => undefined)
}

// The edge describes a file by its name, its size and the digest of its bytes (protocol/call.ts).
function isFile(schema: Schema): boolean {
  const { properties } = schema
  return isSchema(properties) && properties['sha256'] !== undefined && properties['filename'] !== undefined
}

function change(schema: Schema, file: (schema: Schema) => Schema | undefined): Schema {
  const made = changed(schema, file)
  return isSchema(made) ? made : {}
}

function changed(value: unknown, file: (schema: Schema) => Schema | undefined): unknown {
  if (Array.isArray(value))
    return value.map((inner) => changed(inner, file)).filter((inner) => inner !== undefined)
  if (!isSchema(value)) return value
  if (isFile(value)) return file(value)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const made = changed(inner, file)
      return made === undefined ? [] : [[name, made]]
    }),
  )
}

/** The body of a call as an example. */
export function wireExample({ json, form, raw }: ExampleCall, schema: Schema): unknown {
  if (json !== undefined) return clipped(json)
  if (raw !== undefined) return clipped(raw.text)
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(
    Object.entries(form ?? {}).map(([name, value]) => {
      const field = isSchema(properties[name]) ? (properties[name] as Schema) : {}
      const shown = [value]
        .flat()
        .map((one) => (typeof one === 'string' ? readAs(field, one) : `(the bytes of ${one.file})`))
      return [name, shown.length > 1 || typesOf(field).includes('array') ? shown : shown[0]]
    }),
  )
}

/** A string as the number or boolean of its schema: forms and queries have only strings. */
export function readAs(schema: Schema, written: string): unknown {
  const types = typesOf(schema)
  if (types.includes('integer') || types.includes('number')) return Number(written)
  return types.includes('boolean') && (written === 'true' || written === 'false')
    ? written === 'true'
    : written
}

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type])

/** The length of shortened base64: a multiple of four, to keep it valid. */
const shownBase64 = 64

/** The same value with shortened base64. */
export function clipped(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/[A-Za-z0-9+/]{400,}={0,2}/g, (run) => run.slice(0, shownBase64))
  if (Array.isArray(value)) return value.map(clipped)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clipped(inner)]))
}

/** A server-sent event as an example; JSON data is parsed. */
export interface ShownEvent {
  readonly event?: string
  readonly data: unknown
}

/** The events of a stream's text. */
export function eventsOf(text: string): ShownEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const lines = block.split('\n')
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const data = field('data')
    if (data === undefined) return []
    const event = field('event')
    return [
      {
        ...(event === undefined ? {} : { event }),
        data: data.startsWith('{') ? clipped(JSON.parse(data)) : data,
      },
    ]
  })
}
