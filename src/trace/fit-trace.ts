/** Cuts a trace to a size: bodies first, then explanations, then the oldest requests. */
import type { SavedTrace, TraceEntry, TraceSession } from './trace.ts'

/** Characters of each body that are kept: the first that fits. */
const levels = [Number.POSITIVE_INFINITY, 16_384, 4096, 1024, 256, 0] as const
/** Roughly the characters of an entry without its bodies. */
const entrySize = 1000
/** Rules of an explanation that are kept, once bodies are gone. */
const keptRules = 1

const encoder = new TextEncoder()

/** JSON for a script element. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

/** The trace as JSON of at most `maxBytes`; `cut` says what was left out. */
export function fitTrace(trace: SavedTrace, maxBytes: number): string {
  const fits = (json: string): boolean => json.length <= maxBytes && encoder.encode(json).length <= maxBytes
  for (const level of levels) {
    // An estimate first: the text of a whole run may be longer than a string can be.
    if (roughSize(trace, level) > maxBytes) continue
    const json = scriptJson(withBodies(trace, level))
    if (fits(json)) return json
  }
  let cut = withShortReasons(withBodies(trace, 0))
  for (let share = 1; ; share /= 2) {
    cut = share === 1 ? cut : withNewest(cut, share)
    if (roughSize(cut, 0) <= maxBytes * 2) {
      const json = scriptJson(cut)
      if (fits(json) || cut.sessions.every(({ entries }) => entries.length === 0)) return json
    }
  }
}

function roughSize({ sessions }: SavedTrace, level: number): number {
  let size = 0
  const add = (text: string | undefined): void => void (size += Math.min(text?.length ?? 0, level))
  for (const { entries, explanations } of sessions) {
    for (const entry of entries) {
      size += entrySize + entry.request.url.length + (explanations[entry.seq]?.text.length ?? 0)
      add(entry.request.body?.text)
      add(entry.response?.body?.text)
      let events = 0
      for (const { data } of entry.response?.events ?? []) events += data.length + 20
      size += Math.min(events, level)
    }
  }
  return size
}

function withBodies(trace: SavedTrace, level: number): SavedTrace {
  if (level === Number.POSITIVE_INFINITY) return trace
  let count = 0
  const sessions = trace.sessions.map((session) => ({
    ...session,
    entries: session.entries.map((entry) => {
      const shortened = withBody(entry, level)
      if (shortened !== entry) count++
      return shortened
    }),
  }))
  const length = level.toLocaleString('en')
  const sentence =
    level === 0
      ? `The bodies and stream events of ${count} requests were omitted.`
      : `Bodies and streams were truncated after ${length} characters in ${count} requests.`
  return { ...trace, sessions, cut: [...trace.cut, ...(count === 0 ? [] : [sentence])] }
}

function withBody(entry: TraceEntry, level: number): TraceEntry {
  const { request, response, cause } = entry
  let room = level
  const fits = ({ data }: { readonly data: string }): boolean => (room -= data.length) >= 0
  const events = response?.events?.filter(fits)
  const coming = cause.coming?.filter(fits)
  const isWhole = (body: TraceBody): boolean => (body?.text?.length ?? 0) <= level
  if (isWhole(request.body) && isWhole(response?.body) && room >= 0) return entry
  return {
    ...entry,
    request: { ...request, body: cutBody(request.body, level) },
    response: response && { ...response, body: cutBody(response.body, level), events },
    cause: { ...cause, coming },
  }
}

type TraceBody = TraceEntry['request']['body']

function cutBody(body: TraceBody, level: number): TraceBody {
  if (body?.text === undefined || body.text.length <= level) return body
  const more = (body.text.length - level).toLocaleString('en')
  const text = `${body.text.slice(0, level)}… (${more} more characters were omitted from this trace)`
  return { ...body, text, isComplete: false }
}

function withShortReasons(trace: SavedTrace): SavedTrace {
  const short = ({ explanations }: TraceSession): TraceSession['explanations'] =>
    Object.fromEntries(
      Object.entries(explanations).map(([seq, explanation]) => [
        seq,
        { ...explanation, rules: explanation.rules.slice(0, keptRules), text: explanation.because },
      ]),
    )
  const sessions = trace.sessions.map((session) => ({ ...session, explanations: short(session) }))
  return { ...trace, sessions, cut: [...trace.cut, 'Explanations contain only the closest rule.'] }
}

/** The newest requests of each session, and what was said of the older ones before. */
function withNewest(trace: SavedTrace, share: number): SavedTrace {
  let left = 0
  const sessions = trace.sessions.map((session) => {
    const entries = session.entries.slice(Math.ceil(session.entries.length / 2))
    left += session.entries.length - entries.length
    const explanations = Object.fromEntries(
      entries.flatMap(({ seq }) => {
        const found = session.explanations[seq]
        return found === undefined ? [] : [[seq, found] as const]
      }),
    )
    return { ...session, first: entries[0]?.seq ?? session.total, entries, explanations }
  })
  const kept = sessions.reduce((sum, { entries }) => sum + entries.length, 0)
  const before = trace.cut.filter((sentence) => !sentence.startsWith('Only the newest'))
  const sentence = `Only the newest ${kept} requests are here (one in ${Math.round(1 / share)}).`
  return left === 0 ? trace : { ...trace, sessions, cut: [...before, sentence] }
}
