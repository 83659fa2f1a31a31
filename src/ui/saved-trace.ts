/** A saved trace in place of the control API: what it says of a path, and the feed that leads to it. */
import type { SavedTrace, TraceEntry } from '../trace/trace.ts'

/** An event of the feed, from a server or from a trace. */
export interface FeedEvent {
  readonly event: string
  readonly data: unknown
}

/** The response of the control API to a GET; undefined for what the trace does not have. */
export function fromTrace(trace: SavedTrace, session = 'default', path: string): unknown {
  const [name = '', query = ''] = path.split('?')
  const found = trace.sessions.find((one) => one.name === session)
  const seq = /^journal\/(\d+)\/explain$/.exec(name)?.[1]
  if (seq !== undefined) return found?.explanations[Number(seq)]
  switch (name) {
    case 'journal':
      return found && { entries: pageOf(found.entries, new URLSearchParams(query)) }
    case 'jobs':
      return found?.jobs
    case 'client-report':
      return found?.clientReport
    case 'scenarios':
      return found && { scenarios: found.scenarios }
    case 'overrides':
      return found && { overrides: found.overrides }
    default:
      return undefined
  }
}

function pageOf(entries: readonly TraceEntry[], query: URLSearchParams): readonly TraceEntry[] {
  const after = Number(query.get('cursor') ?? -1)
  return entries.filter(({ seq }) => seq > after).slice(0, Number(query.get('limit') ?? 1000))
}

/** The events that the feed of the server would have sent. */
export function eventsOf({ version, strict, sessions }: SavedTrace): FeedEvent[] {
  const known = sessions.map(({ name, total, first }) => ({ name, total, first }))
  return [
    { event: 'hello', data: { version, strict, sessions: known } },
    ...sessions.flatMap(({ name, clock, total, first, entries }) => [
      { event: 'clock', data: { session: name, ...clock } },
      { event: 'requests', data: { session: name, total, first, requests: entries } },
    ]),
  ]
}
