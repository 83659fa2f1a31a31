/**
 * Judges a stream as a whole: its order, its end, what its deltas add up to. The shape of each event is
 * judged by `judgeReply`.
 */

import { createParser } from 'eventsource-parser'
import { type Fields, isFields } from '../engine/fields.ts'
import type { StreamEvent } from '../protocol/read-stream.ts'
import type { Route } from '../protocol/router.ts'
import { chatStreamLaws } from './laws/chat-stream.ts'
import {
  type Deviation,
  doubtful,
  isError,
  type JudgedStream,
  judge,
  type Law,
  namesItsType,
  nth,
  shown,
} from './laws/law.ts'
import { messageStreamLaws } from './laws/message-stream.ts'

/** What the events of a streamed picture hold together (contract 4.4 and 4.5; wire-formats 4). */
const isCompleted = (fields: Fields | undefined): boolean => String(fields?.['type']).endsWith('.completed')

/** The laws over a stream of pictures. */
const imageStreamLaws: readonly Law<JudgedStream>[] = [
  namesItsType({ section: 'wire-formats 4', states: 'an `event:` line that names the type of the data' }),
  doubtful('wire-formats 4', 'order', 'a completed event at the end', ({ events, whole }) => {
    const last = events.findLast(({ fields }) => fields !== undefined)
    return !whole || isCompleted(last?.fields) ? undefined : { got: `${shown(last?.fields?.['type'])} last` }
  }),
  doubtful(
    'wire-formats 4',
    'order',
    'partial images with indices from 0 on, at most as many as asked for, before the completed one',
    ({ events, request }) => {
      const asked = Number(request['partial_images'] ?? 0)
      let due = 0
      for (const [at, { fields }] of events.entries()) {
        if (isCompleted(fields)) due = 0
        const index = fields?.['partial_image_index']
        if (typeof index !== 'number') continue
        if (index !== due || index >= asked)
          return { pointer: '/partial_image_index', got: `index ${index} in ${nth(at)}` }
        due += 1
      }
      return undefined
    },
  ),
]

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
    readonly events: readonly StreamEvent[]
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

/** The events of a body; an event that was cut off at its end is none. */
export function readEvents(body: Uint8Array | string): readonly StreamEvent[] {
  const events: StreamEvent[] = []
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
  parser.feed(typeof body === 'string' ? body : new TextDecoder().decode(body))
  return events
}
