/**
 * Judges a stream as a whole: its order, its end, what its deltas add up to. The shape of each event is
 * judged by `judgeReply`.
 */

import { createParser } from 'eventsource-parser'
import { isFields, jsonIn } from '../engine/fields.ts'
import type { StreamEvent } from '../protocol/read-stream.ts'
import type { Route } from '../protocol/router.ts'
import { type Deviation, deviating, isError, type JudgedStream, judge, type Law, nth } from './laws/law.ts'
import { streamLaws } from './laws/streams.ts'

const nothingAfterError: Law<JudgedStream> = {
  section: 'wire-formats 1.6',
  states: 'an error ends its stream',
  kind: 'order',
  severity: 'doubtful',
  breach({ events }) {
    const at = events.findIndex(isError)
    const late = at < 0 ? -1 : events.findIndex(({ data }, index) => index > at && data !== '[DONE]')
    return late >= 0 && { got: `${nth(late)} after an error in ${nth(at)}` }
  },
}

/**
 * What a stream breaks of the laws of its group. `ended`: whether it came to its end, or was cut off by the
 * client, whose own affair that is, or by the gateway.
 */
export function judgeStream(
  { endpoint, group }: Route,
  stream: {
    readonly request: unknown
    readonly events: readonly StreamEvent[]
    readonly ended: 'complete' | 'client' | 'gateway'
  },
): Deviation[] {
  const events = stream.events.map(({ event, data }) => {
    const value = jsonIn(data)
    return { event, data, fields: isFields(value) ? value : undefined }
  })
  const failed = events.findIndex(isError)
  // What is missing may be in an event that cannot be read.
  const isReadable = events.every(({ data, fields }) => fields !== undefined || data === '[DONE]')
  const judged = {
    request: isFields(stream.request) ? stream.request : {},
    // What stands before an error is judged; what comes after it breaks a law of its own.
    events: failed < 0 ? events : events.slice(0, failed),
    whole: failed < 0 && isReadable && stream.ended === 'complete',
  }
  const at = { operation: endpoint.operation, where: 'stream' } as const
  const got = `nothing after ${nth(events.length - 1)}`
  const brokenOff = {
    where: 'stream',
    kind: 'order',
    expected: 'a stream that comes to its end',
    got,
  } as const
  return [
    ...(stream.ended === 'gateway' ? [{ ...at, ...deviating('contract 6', brokenOff) }] : []),
    ...judge([nothingAfterError], { ...judged, events }, at),
    ...judge(streamLaws[group.name] ?? [], judged, at),
  ]
}

/** The events of a body; an event that was cut off at its end is none. */
export function readEvents(body: Uint8Array | string): readonly StreamEvent[] {
  const events: StreamEvent[] = []
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
  parser.feed(typeof body === 'string' ? body : new TextDecoder().decode(body))
  return events
}
