/** Reads `GET /__sim/events`, the requests of a running simulator as server-sent events. */

import { EventSourceParserStream } from 'eventsource-parser/stream'
import { formatDuration } from '../../engine/duration.ts'
import { defined } from '../../engine/fields.ts'
import type { BreakpointState, LiveCall, Problem } from '../../generated/control-types.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { CommandError, exitCodes, rejectionOf } from '../command.ts'
import type { Target } from './control.ts'

export type FeedEvent =
  | {
      readonly event: 'hello'
      readonly startedAt: string
      readonly sessions: readonly { readonly name: string; readonly total: number }[]
    }
  | { readonly event: 'requests'; readonly session: string; readonly requests: readonly LiveCall[] }
  | { readonly event: 'ended'; readonly session: string }
  | { readonly event: 'clock' }
  | ({ readonly event: 'breakpoints' } & BreakpointState)

export interface Feed {
  /** The id of the last event, for the next connection. */
  lastId: string | undefined
  /** Ends when the connection does, and rejects if it is lost. */
  readonly events: AsyncGenerator<FeedEvent>
}

/**
 * Connects once. Rejects with `CommandError` if the server rejects the request, with another error if it
 * fails or cannot be reached.
 */
export async function openFeed(
  { url, token, timeout }: Target,
  session: string | undefined,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<Feed> {
  const root = url.replace(/\/s\/[^/]+$/, '')
  const only = session ?? /\/s\/([^/]+)$/.exec(url)?.[1]
  // The name in the path leads a load balancer to the server of the session.
  const [home, query] =
    only === undefined ? ['', ''] : [`/s/${encodeURIComponent(only)}`, `?session=${encodeURIComponent(only)}`]
  // Only for the headers: the body has no end.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  const response = await fetch(`${root}${home}${controlPrefix}/events${query}`, {
    headers: defined({ 'x-sim-token': token, 'last-event-id': lastId }),
    signal: AbortSignal.any([signal, late.signal]),
  })
    .catch((error: Error & { readonly cause?: NodeJS.ErrnoException }) => {
      const reason = late.signal.aborted
        ? `no response within ${formatDuration(timeout)}`
        : (error.cause?.code ?? error.message)
      throw new Error(`No simulator responds at ${root} (${reason}): start one with \`gateway-sim serve\``)
    })
    .finally(() => clearTimeout(timer))
  if (!response.ok || response.body === null || !isStream(response)) {
    const problem = (await response.json().catch(() => undefined)) as Problem | undefined
    const message =
      problem?.detail === undefined
        ? `The server at ${root} is not a simulator: GET ${controlPrefix}/events returned ${response.status}`
        : rejectionOf({ message: problem.detail, status: problem.status })
    // A proxy responds like this while the server is started again.
    throw response.status >= 500 ? new Error(message) : new CommandError(exitCodes.failed, message)
  }
  const feed: Feed = { lastId, events: eventsOf(response.body, (id) => (feed.lastId = id)) }
  return feed
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  onId: (id: string) => void,
): AsyncGenerator<FeedEvent> {
  // Its types are those of browsers, which are stricter about bytes.
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>
  for await (const { event, id, data } of body
    .pipeThrough(decoder)
    .pipeThrough(new EventSourceParserStream())) {
    if (event !== undefined) yield { ...(JSON.parse(data) as object), event } as FeedEvent
    // After the event: it must be sent again if it was not handled.
    if (id !== undefined) onId(id)
  }
}
