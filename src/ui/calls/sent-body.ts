/** The body of a recorded request. Of files, the journal keeps only names, types and sizes. */
import { closed } from '../../exchange/cut-json.ts'
import { headerIn } from '../../exchange/exchange.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { parseJournalBody } from '../../protocol/canonical.ts'

type Fields = Readonly<Record<string, unknown>>

interface SentFile {
  readonly name: string
  readonly contentType: string
  readonly size: number
}

export interface SentField {
  readonly name: string
  readonly value: string | SentFile
}

/** What was sent. `file` is the name for bytes that the journal does not keep. */
export type SentBody =
  | { readonly json: unknown }
  | { readonly form: readonly SentField[] }
  | { readonly file: string }

/** The journal keeps so many characters of a body. */
export const maxKept = 65_536

/** Whether the journal keeps only the beginning of a body. */
export const isCut = (text: string | undefined): boolean =>
  text?.length === maxKept && parseJournalBody(text) === undefined

/** The size of the request body as its headers state it; 0 if they do not. */
export const sizeOf = ({ request }: JournalEntryJson): number =>
  Number(headerIn(request.headers, 'content-length') ?? 0)

/** Whether the journal has all of the request, except the bytes of files. */
export const isWhole = (entry: JournalEntryJson): boolean =>
  entry.request.body?.text === undefined ? sizeOf(entry) === 0 : !isCut(entry.request.body?.text)

/** Of a body that was cut, what is known. */
export function sentBody({ request }: JournalEntryJson): SentBody | undefined {
  const text = request.body?.text
  if (text === undefined) return undefined
  const body = parseJournalBody(text)
  if (body?.kind === 'form') return { form: body.fields.map(fieldOf) }
  if (body?.kind === 'bytes') return { file: /([^/?]+)(?:\?|$)/.exec(request.url)?.[1] ?? 'body' }
  const json = body?.kind === 'json' ? body.value : closed(text)
  return json === undefined ? undefined : { json }
}

/** A JSON object; undefined for anything else. */
export function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The names of the files in a request, whose bytes the journal does not keep. */
export function filesOf(entry: JournalEntryJson): readonly string[] {
  const body = sentBody(entry)
  if (body === undefined || 'json' in body) return []
  if ('file' in body) return [body.file]
  return body.form.flatMap(({ value }) => (typeof value === 'string' ? [] : [value.name]))
}

type FormField = Extract<ReturnType<typeof parseJournalBody>, { kind: 'form' }>['fields'][number]

function fieldOf(field: FormField): SentField {
  if (!('file' in field)) return field
  const { filename, contentType, size } = field.file
  return { name: field.name, value: { name: filename ?? 'file', contentType, size } }
}

/** The fields of a body, with `file` for each file; undefined for bytes and other JSON. */
export function fieldsOf(
  body: SentBody | undefined,
  file: (file: SentFile) => unknown = ({ name }) => name,
): Fields | undefined {
  if (body === undefined || 'file' in body) return undefined
  if ('json' in body) {
    const { json } = body
    return json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Fields) : undefined
  }
  const fields: Record<string, unknown> = {}
  for (const { name, value } of body.form) {
    const one = typeof value === 'string' ? value : file(value)
    const key = name.replace('[]', '')
    const first = name === key ? one : [one]
    fields[key] = key in fields ? [fields[key], one].flat() : first
  }
  return fields
}

/** A body to read: indented JSON, a line for each field of a form, or the size of bytes. */
export function readable(text: string): string {
  const body = parseJournalBody(text)
  if (body?.kind === 'json') return JSON.stringify(body.value, null, 2)
  if (body?.kind === 'bytes') return `${body.bytes.size} bytes, SHA-256 ${body.bytes.sha256}`
  if (body?.kind !== 'form') return text
  return body.fields
    .map(fieldOf)
    .map(({ name, value }) =>
      typeof value === 'string'
        ? `${name}: ${value}`
        : `${name}: ${value.name} (${value.contentType}, ${value.size} bytes)`,
    )
    .join('\n')
}
