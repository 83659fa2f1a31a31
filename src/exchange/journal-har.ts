/** A journal as a HAR file, as far as the journal keeps what was sent: bodies up to a limit, and events. */
import { type Exchange, headerIn, type JournalEntry } from './exchange.ts'
import { harText } from './write-har.ts'

/** The ended requests as a HAR file. Its times are virtual. */
export function journalHar(entries: readonly JournalEntry[], version: string): string {
  const keys = new Map<string, string>()
  const ended = entries.filter((entry) => entry.ended !== 'open')
  const exchanges = ended.map((entry) => plainExchange(entry, keys))
  return harText(exchanges, version)
}

function plainExchange(entry: JournalEntry, keys: Map<string, string>): Exchange {
  const { request, response, caller } = entry
  const { headers, body } = request
  const method = /^[\w!#$%&'*+.^`|~-]+$/.test(request.method) ? request.method : 'INVALID'
  return {
    seq: entry.seq,
    session: entry.session,
    at: entry.at,
    firstByteAfter: entry.firstByteAfter,
    endedAfter: entry.endedAfter,
    redacted: entry.redacted,
    request: { method, url: urlOf(entry), headers, body },
    response,
    ended: response === undefined && entry.ended === 'completed' ? 'disconnected' : entry.ended,
    key: caller === undefined ? undefined : keyName(caller, keys),
  }
}

function keyName(caller: string, keys: Map<string, string>): string {
  const name = keys.get(caller) ?? `key-${keys.size + 1}`
  keys.set(caller, name)
  return name
}

/** Paths and hosts are as clients sent them, which may be no URL. */
function urlOf({ request: { url, headers } }: JournalEntry): string {
  const host = headerIn(headers, 'host') ?? 'localhost'
  const whole = `http://${host}${url}`
  if (url.startsWith('/') && URL.canParse(whole)) return whole
  return `http://localhost/${encodeURI(url.replace(/^\//, '').toWellFormed())}`
}
