/** Reads `GET /__sim/events`, the requests of a running simulator as server-sent events. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import { defined } from '../../engine/fields.ts'
import type { LiveCall, Problem } from '../../generated/control-types.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { CommandError, exitCodes, rejectionOf } from '../command.ts'
import { isCut } from './call-lines.ts'
import type { Target } from './control.ts'

export interface Feed {
  /** The id of the last event, for the next connection. */
  lastId: string | undefined
  /** New and changed requests. Ends when the connection does, and rejects if it is lost. */
  readonly calls: AsyncGenerator<LiveCall>
}

/**
 * Connects once, for requests that arrive from now on or after `lastId`. Rejects with `CommandError` if the
 * server rejects the request, with another error if it fails or cannot be reached.
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
  const home = only === undefined ? '' : `/s/${encodeURIComponent(only)}`
  const query = new URLSearchParams({ history: 'false', ...defined({ session: only }) })
  // Only for the headers: the body has no end.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  const response = await fetch(`${root}${home}${controlPrefix}/events?${query}`, {
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
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!response.ok || response.body === null || !isStream) throw await rejectionIn(response, root)
  const feed: Feed = { lastId, calls: callsOf(response.body, (id) => (feed.lastId = id)) }
  return feed
}

async function rejectionIn(response: Response, root: string): Promise<Error> {
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined
  const message =
    problem?.detail === undefined
      ? `The server at ${root} is not a simulator: GET ${controlPrefix}/events returned ${response.status}`
      : rejectionOf({ message: problem.detail, status: problem.status })
  // A proxy responds like this while the server is started again.
  return response.status >= 500 ? new Error(message) : new CommandError(exitCodes.failed, message)
}

async function* callsOf(
  body: ReadableStream<Uint8Array>,
  onId: (id: string) => void,
): AsyncGenerator<LiveCall> {
  // Its types are those of browsers, which are stricter about bytes.
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>
  for await (const { event, id, data } of body
    .pipeThrough(decoder)
    .pipeThrough(new EventSourceParserStream())) {
    if (event === 'requests') yield* (JSON.parse(data) as { readonly requests: LiveCall[] }).requests
    // After the event: it must be sent again if it was not handled.
    if (id !== undefined) onId(id)
  }
}

/** How many requests are remembered: after an interruption, the feed sends some again. */
const maxRemembered = 10_000

/** Whether a request is new, or its response has just been cut. */
export function createNews(): (call: LiveCall) => boolean {
  const ends = new BoundedMap<string>({ count: maxRemembered })
  return (call) => {
    // After a restart of the server, `seq` begins again, but time does not.
    const key = `${call.session} ${call.seq} ${call.realAt}`
    const before = ends.get(key)
    ends.set(key, call.ended)
    return before === undefined || (before === 'open' && isCut(call))
  }
}
