/** Reads the events of a stream that has been received whole. */
import { createParser } from 'eventsource-parser'
import type { StreamedEvent } from './judge-stream.ts'

/** The events of a body; an event that was cut off at its end is none. */
export function readEvents(body: Uint8Array | string): readonly StreamedEvent[] {
  const events: StreamedEvent[] = []
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
  parser.feed(typeof body === 'string' ? body : new TextDecoder().decode(body))
  return events
}
