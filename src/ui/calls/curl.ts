/** A recorded request as a curl command that sends it again. */
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { parseJournalBody } from '../../protocol/canonical.ts'

/** The journal shortens keys. Most requests take any key, but a job belongs to its own. */
const key = '${API_KEY:-sk-test}'

/** The URL of the simulator: the page is under its control API. */
const baseUrl = (): string => location.origin + location.pathname.replace(/\/[^/]+\/ui\/.*$/, '')

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export function curlOf(entry: JournalEntryJson): string {
  const { session, request } = entry
  const lines = [`curl -X ${request.method} ${quoted(baseUrl() + request.url)}`]
  for (const [name, value] of request.headers) {
    if (name === 'authorization') lines.push(`-H "authorization: Bearer ${key}"`)
    else if (/^(?:x-|x-goog-)?api-key$/.test(name)) lines.push(`-H "${name}: ${key}"`)
    else if (/^(?:anthropic-|content-(?:type|md5)$)/.test(name) && !value.startsWith('multipart/'))
      lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  if (session !== 'default') lines.push(`-H ${quoted(`x-sim-session: ${session}`)}`)
  return [...lines, ...bodyOf(request)].join(' \\\n  ')
}

/** Of files, the journal keeps only the names. */
function bodyOf({ url, body }: JournalEntryJson['request']): string[] {
  const text = body?.text
  if (text === undefined) return []
  const parsed = parseJournalBody(text)
  if (parsed?.kind === 'bytes') return [`--data-binary ${quoted(`@${/[^/?]+(?=\?|$)/.exec(url)?.[0]}`)}`]
  if (parsed?.kind !== 'form') return [`-d ${quoted(text)}`]
  return parsed.fields.map((field) =>
    'file' in field
      ? `-F ${quoted(`${field.name}=@${field.file.filename ?? 'file'};type=${field.file.contentType}`)}`
      : `--form-string ${quoted(`${field.name}=${field.value}`)}`,
  )
}
