/** Reads `GET /__sim/events` for as long as the page is open, and reconnects after an interruption. */
import { controlUrl, headersFor, needsToken, token } from './api.ts'

export interface FeedEvent {
  readonly event: string
  readonly data: unknown
}

export type FeedState = 'connecting' | 'live' | 'lost'

const retryMs = 1000
/** The longest wait of the first attempt: a browser may hold a preloaded response until its end. */
const firstAttemptMs = 3000
/**
 * The latest requests come first, as many as a tall screen shows, and in one piece. A comment of 8 kB after
 * each change makes a proxy that buffers pass it on. The server preloads this URL (http/serve-page.ts).
 */
const feedPath = 'events?latest=80&padding=8192'

/**
 * Passes on the events in order, together if they arrived together, and reads on when `onEvents` is done.
 * `fetch` instead of `EventSource`, which cannot send the token.
 */
export function readFeed(
  onEvents: (events: readonly FeedEvent[]) => Promise<void>,
  onState: (state: FeedState) => void,
): void {
  let lastId = ''
  const firstAttempt = new AbortController()
  const firstTimer = setTimeout(() => firstAttempt.abort(), firstAttemptMs)
  const connect = async (): Promise<void> => {
    const headers = headersFor(undefined)
    if (lastId !== '') headers['last-event-id'] = lastId
    const { signal } = firstAttempt
    const response = await fetch(controlUrl(feedPath), signal.aborted ? { headers } : { headers, signal })
    if (response.status === 401) needsToken.value = true
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
    onState('live')
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      clearTimeout(firstTimer)
      text += decoder.decode(value, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      const events: FeedEvent[] = []
      for (const frame of frames) {
        const { id, event, data } = fieldsOf(frame)
        if (id !== undefined) lastId = id
        if (event !== undefined && data !== undefined) events.push({ event, data: JSON.parse(data) })
      }
      if (events.length > 0) await onEvents(events)
    }
  }
  const loop = async (): Promise<void> => {
    for (;;) {
      onState('connecting')
      await connect().catch(() => undefined)
      onState('lost')
      await untilRetry()
    }
  }
  void loop()
}

function fieldsOf(frame: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const line of frame.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart()
  }
  return fields
}

/** After a second, or once the user has entered a token. */
function untilRetry(): Promise<void> {
  return new Promise((resolve) => {
    const sent = token.value
    const timer = setInterval(() => {
      if (needsToken.value && token.value === sent) return
      clearInterval(timer)
      resolve()
    }, retryMs)
  })
}
