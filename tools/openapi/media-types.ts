/** What a value looks like in each kind of body: files in forms, long texts in examples. */
import { isSchema, type Schema } from './json-schema.ts'
import type { ExampleCall } from './notes.ts'

/** A form's schema: what validation sees of a file becomes the file's bytes. */
export function withFiles(schema: Schema): Schema {
  return change(schema, (file) => ({
    type: 'string',
    format: 'binary',
    ...(file['description'] === undefined ? {} : { description: file['description'] }),
  }))
}

/** A JSON body's schema: the alternatives that are files are not there. */
export function withoutFiles(schema: Schema): Schema {
  return change(schema, () => undefined)
}

// What the edge hands over of a file: its name, its size, the digest of its bytes (protocol/call.ts).
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

/** The body of a call as an example of its schema shows it. */
export function wireExample({ json, form, raw }: ExampleCall, schema: Schema): unknown {
  if (json !== undefined) return clipped(json)
  if (raw !== undefined) return clipped(raw.text)
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const object: Record<string, unknown> = {}
  for (const part of form ?? []) {
    const field = isSchema(properties[part.name]) ? (properties[part.name] as Schema) : {}
    const value = 'value' in part ? readAs(field, part.value) : `(the bytes of ${part.filename})`
    const before = object[part.name]
    object[part.name] = Array.isArray(before)
      ? [...before, value]
      : before !== undefined
        ? [before, value]
        : typesOf(field).includes('array')
          ? [value]
          : value
  }
  return object
}

/** A text as the number or truth that a schema says it stands for: forms and queries know texts alone. */
export function readAs(schema: Schema, written: string): unknown {
  const types = typesOf(schema)
  if (types.includes('integer') || types.includes('number')) return Number(written)
  return types.includes('boolean') && (written === 'true' || written === 'false')
    ? written === 'true'
    : written
}

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type])

/** How much of a long base64 is shown: a multiple of four, so that it stays base64. */
const shownBase64 = 64

/** The same value with base64 shortened: the bytes of a video tell a reader nothing. */
export function clipped(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/[A-Za-z0-9+/]{400,}={0,2}/g, (run) => run.slice(0, shownBase64))
  if (Array.isArray(value)) return value.map(clipped)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clipped(inner)]))
}

/** One server-sent event as an example shows it; data that is JSON is shown as the value it is. */
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
