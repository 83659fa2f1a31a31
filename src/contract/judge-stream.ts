/**
 * Judges a stream as a whole: its order, its end, what its deltas add up to. The shape of each event is
 * judged by `judgeReply`.
 */
import { type Fields, isFields } from '../engine/fields.ts'
import type { Route } from '../protocol/router.ts'
import type { Deviation } from './deviation.ts'
import { chatStreamLaws } from './laws/chat-stream.ts'
import { imageStreamLaws } from './laws/image-stream.ts'
import { judge, type Law } from './laws/law.ts'
import { messageStreamLaws } from './laws/message-stream.ts'
import { isError, type JudgedStream, nth } from './laws/stream.ts'

/** One event as it came. */
export interface StreamedEvent {
  readonly event: string | undefined
  readonly data: string
}

const lawsByGroup: Readonly<Record<string, readonly Law<JudgedStream>[]>> = {
  chat: chatStreamLaws,
  messages: messageStreamLaws,
  images: imageStreamLaws,
}

const nothingAfterError: Law<JudgedStream> = {
  section: 'wire-formats 1.6',
  states: 'an error ends its stream',
  kind: 'order',
  severity: 'doubtful',
  breach({ events }) {
    const at = events.findIndex(isError)
    const late = at < 0 ? -1 : events.findIndex(({ data }, index) => index > at && data !== '[DONE]')
    return late < 0 ? undefined : { got: `${nth(late)} after an error in ${nth(at)}` }
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
    readonly events: readonly StreamedEvent[]
    readonly ended: 'complete' | 'client' | 'gateway'
  },
): Deviation[] {
  const events = stream.events.map(({ event, data }) => ({ event, data, fields: parse(data) }))
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
  const broken: Deviation[] =
    stream.ended === 'gateway'
      ? [{ ...at, ...brokenOff, got: `nothing after ${nth(events.length - 1)}` }]
      : []
  return [
    ...broken,
    ...judge([nothingAfterError], { ...judged, events }, at),
    ...judge(lawsByGroup[group.name] ?? [], judged, at),
  ]
}

const brokenOff = {
  section: 'contract 6',
  pointer: '',
  kind: 'order',
  severity: 'breaking',
  expected: 'a stream that comes to its end',
} as const

function parse(data: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
