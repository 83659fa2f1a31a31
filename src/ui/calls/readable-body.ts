/** A body of the journal to read: indented JSON, a line for each field of a form, or the size of bytes. */
import { parseJournalBody } from '../../protocol/canonical.ts'

export function readableBody(text: string): string {
  const body = parseJournalBody(text)
  if (body?.kind === 'json') return JSON.stringify(body.value, null, 2)
  if (body?.kind === 'bytes') return `${body.bytes.size} bytes, SHA-256 ${body.bytes.sha256}`
  if (body?.kind !== 'form') return text
  const lines = body.fields.map((field) => {
    if (!('file' in field)) return `${field.name}: ${field.value}`
    const { filename = 'file', contentType, size } = field.file
    return `${field.name}: ${filename} (${contentType}, ${size} bytes)`
  })
  return lines.join('\n')
}
