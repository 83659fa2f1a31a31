/** The body of a recorded request. Of files, the journal keeps only names, types and sizes. */
import type { JournalEntryJson } from '../../journal/filter.ts'
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

export function sentBody({ request, headers, path }: JournalEntryJson): SentBody | undefined {
  if (request === null) return Number(headers['content-length'] ?? 0) > 0 ? { file: 'body' } : undefined
  const body = parseJournalBody(request)
  if (body?.kind === 'json') return { json: body.value }
  if (body?.kind === 'form') return { form: body.fields.map(fieldOf) }
  return { file: body === undefined ? 'body' : (/([^/?]+)(?:\?|$)/.exec(path)?.[1] ?? 'body') }
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
    fields[key] = key in fields ? [fields[key], one].flat() : name === key ? one : [one]
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
