/** What a value looks like in each kind of body: files in forms, long texts in examples. Knows no operation. */
import { isSchema, type Schema } from './json-schema.ts'
import type { ExampleCall } from './notes/notes.ts'

/** A form's schema: what validation sees of a file becomes the file's bytes. */
export function withFiles(schema: Schema): Schema {
  return change(schema, (file) => ({ type: 'string', format: 'binary', ...(file['description'] === undefined ? {} : { description: file['description'] }) }))
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
  if (Array.isArray(value)) return value.map((inner) => changed(inner, file)).filter((inner) => inner !== undefined)
  if (!isSchema(value)) return value
  if (isFile(value)) return file(value)
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => {
    const made = changed(inner, file)
    return made === undefined ? [] : [[name, made]]
  }))
}

/** The body of a call as an example shows it. */
export function wireExample({ json, form, raw }: ExampleCall): unknown {
  if (json !== undefined) return json
  if (raw !== undefined) return clipped(raw.text)
  const object: Record<string, unknown> = {}
  for (const part of form ?? []) {
    const value = 'value' in part ? part.value : `(the bytes of ${part.filename})`
    const before = object[part.name]
    object[part.name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return object
}

/** How much of a long base64 is shown: a multiple of four, so that it stays base64. */
const shownBase64 = 64

/** The same value with what is written in base64 cut short: the bytes of a film say nothing to a reader. */
export function clipped(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 400 && !/\s/.test(value) ? value.slice(0, shownBase64) : value
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
    const field = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const data = field('data')
    if (data === undefined) return []
    const event = field('event')
    return [{ ...(event === undefined ? {} : { event }), data: data.startsWith('{') ? clipped(JSON.parse(data)) : data }]
  })
}
