/** Reads `GET /__sim/events` for as long as the page is open, and reconnects after an interruption. */
import { controlUrl, headersFor, needsToken, token } from './api.ts'
import type { FeedEvent } from './saved-trace.ts'

export type FeedState = 'connecting' | 'live' | 'lost'

const retryMs = 1000
/** The longest wait of the first attempt: a browser may hold a preloaded response until its end. */
const firstAttemptMs = 3000
/**
 * The page starts with the latest requests of each session. A comment of 8 kB after each change makes a
 * proxy that buffers pass it on. The server preloads this URL (http/serve-page.ts).
 */
const feedPath = 'events?latest=1000&padding=8192'

/**
 * Passes on the events in order, together if they arrived together. Each connection begins with all that the
 * server knows. `fetch` instead of `EventSource`, which cannot send the token.
 */
export function readFeed(
  onEvents: (events: readonly FeedEvent[]) => void,
  onState: (state: FeedState) => void,
): void {
  const firstAttempt = new AbortController()
  const firstTimer = setTimeout(() => firstAttempt.abort(), firstAttemptMs)
  const connect = async (): Promise<void> => {
    const { signal } = firstAttempt
    const headers = headersFor(undefined)
    const response = await fetch(controlUrl(feedPath), signal.aborted ? { headers } : { headers, signal })
    if (response.status === 401) needsToken.value = true
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
    onState('live')
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      clearTimeout(firstTimer)
      const frames = (text + value).split('\n\n')
      text = frames.pop() ?? ''
      const events = frames.flatMap(eventOf)
      if (events.length > 0) onEvents(events)
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

function eventOf(frame: string): FeedEvent[] {
  const event = /^event: (.*)$/m.exec(frame)?.[1]
  const data = /^data: (.*)$/m.exec(frame)?.[1]
  return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) as unknown }]
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
