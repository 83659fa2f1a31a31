/** Cuts a trace to a size: long bodies first, then the oldest requests. */
import type { SavedTrace, TraceEntry, TraceSession } from './trace.ts'

/** Characters of each body that are kept if not all of them fit. */
const maxBodyLength = 1024

/** JSON for a script element. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

const encoder = new TextEncoder()
const sizeOf = (value: unknown): number => encoder.encode(scriptJson(value)).length

/** The trace as JSON of at most `maxBytes`; `cut` says what was left out. */
export function fitTrace(trace: SavedTrace, maxBytes: number): string {
  // Measured by the entry: the text of a whole run may be longer than a string can be.
  const entries = trace.sessions.flatMap((session) => session.entries)
  let size = sizeOf(withNewest(trace, 0))
  for (const session of trace.sessions) for (const entry of session.entries) size += entrySize(session, entry)
  if (size <= maxBytes) return scriptJson(trace)

  const short = withShortBodies(trace)
  let kept = entries.length
  while (true) {
    const cut = kept === entries.length ? short : withNewest(short, kept / entries.length)
    const json = scriptJson(cut)
    if (kept === 0 || encoder.encode(json).length <= maxBytes) return json
    kept = Math.floor(kept / 2)
  }
}

function entrySize({ explanations }: TraceSession, entry: TraceEntry): number {
  return sizeOf(entry) + sizeOf(explanations[entry.seq] ?? null) + String(entry.seq).length + 4
}

function withShortBodies(trace: SavedTrace): SavedTrace {
  const length = maxBodyLength.toLocaleString('en')
  const sentence = `Bodies and streams were truncated after ${length} characters.`
  return {
    ...trace,
    sessions: trace.sessions.map((session) => ({
      ...session,
      entries: session.entries.map(withShortBody),
    })),
    cut: [...trace.cut, sentence],
  }
}

function withShortBody(entry: TraceEntry): TraceEntry {
  const { request, response, cause } = entry
  let room = maxBodyLength
  const fits = ({ data }: { readonly data: string }): boolean => (room -= data.length) >= 0
  const events = response?.events?.filter(fits)
  return {
    ...entry,
    request: { ...request, body: shortBody(request.body) },
    response: response && { ...response, body: shortBody(response.body), events },
    cause: { ...cause, coming: cause.coming?.filter(fits) },
  }
}

function shortBody(body: TraceEntry['request']['body']): TraceEntry['request']['body'] {
  if (body?.text === undefined || body.text.length <= maxBodyLength) return body
  const more = (body.text.length - maxBodyLength).toLocaleString('en')
  const text = `${body.text.slice(0, maxBodyLength)}… (${more} more characters were omitted from this trace)`
  return { ...body, text, isComplete: false }
}

/** The newest requests of each session: this share of them. */
function withNewest(trace: SavedTrace, share: number): SavedTrace {
  const sessions = trace.sessions.map((session): TraceSession => {
    const count = Math.floor(session.entries.length * share)
    const entries = session.entries.slice(session.entries.length - count)
    const kept = entries.map(({ seq }) => [seq, session.explanations[seq]] as const)
    const explanations = Object.fromEntries(kept) as TraceSession['explanations']
    return { ...session, first: entries[0]?.seq ?? session.total, entries, explanations }
  })
  const kept = sessions.reduce((sum, { entries }) => sum + entries.length, 0)
  return { ...trace, sessions, cut: [...trace.cut, `Only the newest ${kept} requests are here.`] }
}
