/** The canonical form of an input: keys sorted, no spaces, files by content. */
import { jsonIn } from '../engine/fields.ts'
import type { FilePart, FormField, HeldBytes, Payload } from './call.ts'

/** The maximum depth of arrays and objects; deeper input is rejected before any recursion. */
export const maxDepth = 128

const noDefaults: ReadonlyMap<string, unknown> = new Map()

/** The input is nested deeper than `maxDepth`. */
export class TooDeepError extends Error {
  override readonly name = 'TooDeep'
}

/** Receives the canonical form in small parts, for a string or directly for a hash. */
export interface CanonicalSink {
  /** Punctuation (a bracket, a comma), a number, `true`, `false` or `null`. */
  mark(sign: string): unknown
  /** A string: a value or the name of a field. */
  text(value: string): unknown
}

/** Canonical JSON of a parsed value. Throws `TooDeepError`. */
export function canonicalJson(value: unknown): string {
  const parts: string[] = []
  writeValue(textSink(parts), value, 0)
  return parts.join('')
}

function textSink(parts: string[]): CanonicalSink {
  return { mark: (sign) => parts.push(sign), text: (value) => parts.push(JSON.stringify(value)) }
}

/** Writes a value; of an object only the fields with these `names`, if given. */
function writeValue(sink: CanonicalSink, value: unknown, depth: number, names?: string[]): void {
  if (typeof value === 'string') sink.text(value)
  else if (value === null || typeof value !== 'object') sink.mark(String(value))
  else if (depth > maxDepth) throw new TooDeepError(`nested deeper than ${maxDepth} levels`)
  else if (Array.isArray(value)) {
    sink.mark('[')
    for (let i = 0; i < value.length; i++) {
      if (i > 0) sink.mark(',')
      writeValue(sink, value[i], depth + 1)
    }
    sink.mark(']')
  } else {
    sink.mark('{')
    let any = false
    for (const name of inOrder(names ?? Object.keys(value))) {
      if (any) sink.mark(',')
      any = true
      sink.text(name)
      sink.mark(':')
      writeValue(sink, (value as Record<string, unknown>)[name], depth + 1)
    }
    sink.mark('}')
  }
}

/** A part of an input: the fields that determine the content, or the rest. */
export type InputPart = 'content' | 'rest'

export interface InputRules {
  /** Top-level fields that must not influence the content. */
  readonly ignored: ReadonlySet<string>
  /** The defaults of fields: a default or null is omitted from the canonical form. */
  readonly defaults?: ReadonlyMap<string, unknown> | undefined
}

/** Writes one part of the canonical input of a call. Throws `TooDeepError`. */
export function writeInput(
  sink: CanonicalSink,
  part: InputPart,
  payload: Payload,
  { ignored, defaults = noDefaults }: InputRules,
): void {
  switch (payload.kind) {
    case 'none':
      return
    case 'rejected':
      sink.text(part === 'content' ? payload.message : (payload.text ?? ''))
      return
    case 'bytes':
      if (part === 'content') sink.mark(bytesText(payload))
      return
    case 'form':
      sink.mark(
        formText(
          payload.fields.filter(
            ({ name }) => (ignored.has(name) || ignored.has(fieldOf(name))) === (part === 'rest'),
          ),
        ),
      )
      return
    case 'json': {
      const { value } = payload
      const isRest = part === 'rest'
      if (value === null || typeof value !== 'object' || Array.isArray(value)) {
        if (!isRest) writeValue(sink, value, 0)
        return
      }
      if (isRest && ignored.size === 0) return
      const fields = value as Record<string, unknown>
      const names: string[] = []
      for (const name of Object.keys(fields)) {
        if (ignored.has(name) !== isRest) continue
        const field = fields[name]
        if (isRest || !defaults.has(name) || (field !== null && field !== defaults.get(name)))
          names.push(name)
      }
      writeValue(sink, fields, 0, names)
    }
  }
}

// Names of form fields include indexes and members: `image[0]`, `a.b`.
const fieldOf = (name: string): string => /^[^[.]*/.exec(name)?.[0] as string

/**
 * The fields of a form as a string. Equal names keep their order: the first image differs from the second.
 */
function formText(fields: readonly FormField[]): string {
  return [...fields]
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name))
    .map((field) => {
      const value = 'file' in field ? contentText(field.file) : JSON.stringify(field.value)
      return `${JSON.stringify(field.name)}=${value}`
    })
    .join('&')
}

// The file name does not influence results.
function contentText({ contentType, sha256 }: FilePart): string {
  return `file ${contentType} ${sha256}`
}

const formMark = 'form '

/** The fields of a form as the journal keeps them: files by name, size and content. */
export function journalFormText(fields: readonly FormField[]): string {
  const kept = fields.map((field) => {
    if (!('file' in field)) return field
    const { filename, contentType, size, sha256 } = field.file
    return { name: field.name, file: { filename, contentType, size, sha256 } }
  })
  return formMark + JSON.stringify(kept)
}

/** The body of a journal text; undefined if it is truncated. */
export function parseJournalBody(text: string | undefined): Payload | undefined {
  if (text === undefined) return { kind: 'none' }
  try {
    return { kind: 'json', value: JSON.parse(text) as unknown, text }
  } catch {
    const [, size, sha256] = /^bytes (\d+) ([0-9a-f]{64})$/.exec(text) ?? []
    if (size !== undefined) return { kind: 'bytes', bytes: { size: Number(size), sha256 } as HeldBytes }
    if (!text.startsWith(formMark)) return undefined
    const fields = jsonIn(text.slice(formMark.length)) as FormField[] | undefined
    return fields && { kind: 'form', fields }
  }
}

// Insertion sort: for the few keys of a request, `sort` allocates more than the rest of this file.
function inOrder(names: string[]): readonly string[] {
  if (names.length > 16) return names.sort()
  for (let at = 1; at < names.length; at++) {
    const name = names[at] as string
    let to = at
    for (; to > 0 && (names[to - 1] as string) > name; to--) names[to] = names[to - 1] as string
    names[to] = name
  }
  return names
}

/** A body of bytes, by its size and content. */
export function bytesText({ bytes }: Extract<Payload, { kind: 'bytes' }>): string {
  return `bytes ${bytes.size} ${bytes.sha256}`
}
