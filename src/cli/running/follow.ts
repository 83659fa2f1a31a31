/** `journal --follow`: the requests of a running simulator as they arrive. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import { defined } from '../../engine/fields.ts'
import type { LiveCall, Problem } from '../../generated/control-types.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import { isCut } from './call-lines.ts'
import { rejectionText, type Target } from './simulator.ts'

/** In real milliseconds. */
const retryInterval = 1000

/** How many requests are remembered: after an interruption, the feed sends some again. */
const maxRemembered = 10_000

/**
 * Calls `print` for each request that arrives, and again if its response is cut, until the process is asked
 * to stop or nobody reads its output. Connects again when the server was restarted. Throws `CommandError` if
 * it stays away for longer than the timeout.
 */
export async function followRequests(
  target: Target,
  session: string | undefined,
  print: (call: LiveCall) => Promise<void>,
  io: Io,
): Promise<void> {
  const leave = new AbortController()
  const { signal } = leave
  void io.whenStopped('needs a reader').then(() => leave.abort())
  const ends = new BoundedMap<string>({ count: maxRemembered })
  let lastId: string | undefined
  let deadline: number | undefined
  while (!signal.aborted) {
    try {
      const response = await openFeed(target, session, lastId, signal)
      io.stderr.write(
        `gateway-sim: ${deadline === undefined ? 'watching' : 'connected again:'} ${target.url}\n`,
      )
      deadline = Infinity
      for await (const { id, calls } of eventsOf(response)) {
        for (const call of calls) {
          // After a restart of the server, `seq` begins again, but time does not.
          const key = `${call.session} ${call.seq} ${call.realAt}`
          const before = ends.get(key)
          ends.set(key, call.ended)
          if (before === undefined || (before === 'open' && isCut(call))) await print(call)
        }
        // After the event: it must be sent again if it was not handled.
        lastId = id ?? lastId
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CommandError) throw error
      if (deadline === undefined || performance.now() > deadline)
        throw new CommandError(exitCodes.failed, (error as Error).message)
    }
    if (deadline === Infinity && !signal.aborted) {
      deadline = performance.now() + target.timeout
      io.stderr.write('gateway-sim: the connection was lost; connecting again\n')
    }
    await sleep(retryInterval, undefined, { signal }).catch(() => {})
  }
}

/** Rejects with `CommandError` if the server rejects the request; another error: it cannot be reached. */
async function openFeed(
  { url, token, timeout }: Target,
  given: string | undefined,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const root = url.replace(/\/s\/[^/]+$/, '')
  const session = given ?? /\/s\/([^/]+)$/.exec(url)?.[1]
  // The name in the path leads a load balancer to the server of the session.
  const home = session === undefined ? root : `${root}/s/${encodeURIComponent(session)}`
  // Only for the headers: the body has no end.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  const query = new URLSearchParams({ history: 'false', ...defined({ session }) })
  const response = await fetch(`${home}${controlPrefix}/events?${query}`, {
    headers: defined({ 'x-sim-token': token, 'last-event-id': lastId }),
    signal: AbortSignal.any([signal, late.signal]),
  })
    .catch((error: Error & { readonly cause?: NodeJS.ErrnoException }) => {
      const silence = `no response within ${formatDuration(timeout)}`
      const reason = late.signal.aborted ? silence : (error.cause?.code ?? error.message)
      throw new Error(`No simulator responds at ${root} (${reason}): start one with \`gateway-sim serve\``)
    })
    .finally(() => clearTimeout(timer))
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (response.ok && isStream) return response
  const problem = (await response.json().catch(() => undefined)) as Problem | undefined
  const message =
    problem?.detail === undefined
      ? `The server at ${root} is not a simulator: GET ${controlPrefix}/events returned ${response.status}`
      : rejectionText({ message: problem.detail, status: problem.status })
  // A proxy responds like this while the server is started again.
  throw response.status >= 500 ? new Error(message) : new CommandError(exitCodes.failed, message)
}

async function* eventsOf({
  body,
}: Response): AsyncGenerator<{ readonly id: string | undefined; readonly calls: readonly LiveCall[] }> {
  if (body === null) return
  // Its types are those of browsers, which are stricter about bytes.
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>
  for await (const { event, id, data } of body
    .pipeThrough(decoder)
    .pipeThrough(new EventSourceParserStream())) {
    const calls = event === 'requests' ? (JSON.parse(data) as { readonly requests: LiveCall[] }).requests : []
    yield { id, calls }
  }
}
