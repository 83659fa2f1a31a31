/** Faults of streams: in their events, in the chunks that carry them, and at their end. */
import * as z from 'zod'
import { joinBytes } from '../../engine/bytes.ts'
import { type ByteChunk, cutAt, eventIndex, maxChunks } from '../../protocol/chunks.ts'
import { ApiError, type RejectionType, rejections } from '../../protocol/errors.ts'
import { canStream } from '../../protocol/operations.ts'
import { mediaMark, type StreamEvent } from '../../protocol/response.ts'
import { duration, optional } from '../values.ts'
import { afterBytes, afterEvents, type Fault, faultsOfPart } from './fault.ts'

const stream = faultsOfPart('stream', canStream)

export const streamFaults: readonly Fault[] = [
  stream('disconnect', {
    what: 'The stream is cut after some events.',
    endsStream: true,
    options: () => ({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('The number of bytes that arrive before the fault. Replaces `afterEvents`.'),
      how: z
        .enum(['reset', 'close', 'end'])
        .default('reset')
        .describe(
          '`reset`: the connection is reset (RST). `close`: it is closed before the end of the body. ' +
            '`end`: the body ends as if it were complete.',
        ),
    }),
    wire: ({ afterEvents, afterBytes, how }) => cutAt({ afterEvents, afterBytes }, how),
  }),
  stream('stall', {
    what: 'The stream stalls until the client closes it.',
    endsStream: true,
    options: () => ({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('The number of bytes that arrive before the fault. Replaces `afterEvents`.'),
    }),
    wire: ({ afterEvents, afterBytes }) => cutAt({ afterEvents, afterBytes }, 'stall'),
  }),
  stream('error-event', {
    what: "The stream begins with status 200 and ends with the API's error event.",
    endsStream: true,
    options: () => ({
      afterEvents: afterEvents(1),
      type: z
        .enum(Object.keys(rejections) as [RejectionType])
        .default('api_error')
        .describe('The type of the error.'),
      message: z
        .string()
        .min(1)
        .default('The server had an error while streaming.')
        .describe('The error message.'),
    }),
    events: (events, { afterEvents, type, message }, renderError) => [
      ...events.slice(0, afterEvents),
      { after: 0, ...renderError(new ApiError(type, message)) },
    ],
  }),
  stream('missing-end', {
    // The text is complete and has a finish reason.
    nature: 'tolerable',
    what: 'The stream ends without an end marker (`[DONE]`, `message_stop`, the last `completed`).',
    events: (events) => events.slice(0, -1),
  }),
  stream('malformed-event', {
    what: 'The data of one event is invalid JSON. Later events are valid.',
    options: () => ({ afterEvents: afterEvents(1) }),
    events: (events, { afterEvents }) =>
      events.map((event, index) => (index === afterEvents ? { ...event, raw: broken(event) } : event)),
  }),
  stream('split', {
    nature: 'harmless',
    what: 'One event arrives in two chunks.',
    options: () => ({
      afterEvents: afterEvents(1),
      atByte: optional(
        z.int().min(1),
        'The number of bytes in the first chunk. Default: the split is inside the next multi-byte ' +
          'character, even in a later event, or in the middle of the event if there is none.',
      ),
      pause: duration('The time between the two chunks.').prefault('0s'),
    }),
    wire: ({ afterEvents, atByte, pause }) => ({
      body: { stage: 'split', change: (chunks) => split(chunks, afterEvents, atByte, pause) },
    }),
  }),
  stream('join', {
    nature: 'harmless',
    what: 'Several events arrive in one chunk, at the time of the last event.',
    options: () => ({
      afterEvents: afterEvents(0),
      events: z.int().min(2).default(3).describe('The number of events in each chunk.'),
    }),
    wire: ({ afterEvents, events }) => ({
      body: { stage: 'join', change: (chunks) => joined(chunks, afterEvents, events) },
    }),
  }),
  stream('duplicate', {
    nature: 'tolerable',
    what: 'One event is sent more than once.',
    options: () => ({
      afterEvents: afterEvents(1),
      copies: z.int().min(2).max(1000).default(2).describe('The number of times the event is sent.'),
    }),
    events: (events, { afterEvents, copies }) =>
      events.flatMap((event, index) =>
        index === afterEvents
          ? [event, ...Array.from({ length: copies - 1 }, () => ({ ...event, after: 0 }))]
          : [event],
      ),
  }),
  stream('out-of-order', {
    nature: 'tolerable',
    what: 'Two consecutive events arrive in the wrong order.',
    options: () => ({ afterEvents: afterEvents(1) }),
    events(events, { afterEvents }) {
      const [late, early] = [events[afterEvents], events[afterEvents + 1]]
      if (late === undefined || early === undefined) return events
      // The events change places; the times stay.
      return [
        ...events.slice(0, afterEvents),
        { ...early, after: late.after },
        { ...late, after: early.after },
        ...events.slice(afterEvents + 2),
      ]
    },
  }),
  stream('keep-alive', {
    nature: 'harmless',
    what: 'Keep-alive comments (`: ping`) arrive between the events, at most 10,000 plus one for each event.',
    options: () => ({
      text: z
        .string()
        .regex(/^[^\r\n]*$/, 'expected one line')
        .default('ping')
        .describe('The text of the comment.'),
      interval: duration(
        'The idle time after which a comment is sent. Default: a comment after each event.',
      ).optional(),
    }),
    wire: ({ text, interval }) => ({
      body: { stage: 'comments', change: (chunks) => commented(chunks, text, interval) },
    }),
  }),
  stream('line-ends', {
    nature: 'harmless',
    what: 'The lines of the stream end with CRLF or CR, which clients must accept as well as LF.',
    options: () => ({ ends: z.enum(['crlf', 'cr']).default('crlf').describe('The line ending.') }),
    events: (events, { ends }) =>
      events.map((event) => ({
        ...event,
        raw: frame(event).replaceAll('\n', ends === 'crlf' ? '\r\n' : '\r'),
      })),
  }),
  stream('bom', {
    nature: 'harmless',
    what: 'The stream begins with a byte order mark, which clients must skip.',
    events: ([first, ...rest]) =>
      first === undefined ? [] : [{ ...first, raw: `\uFEFF${frame(first)}` }, ...rest],
  }),
  stream('multi-line-data', {
    nature: 'harmless',
    what: 'The JSON of each event is split across several `data:` lines, which clients must join.',
    events: (events) =>
      events.map((event) =>
        event.raw === undefined ? { ...event, raw: frame({ ...event, data: inLines(event.data) }) } : event,
      ),
  }),
]

function split(
  chunks: readonly ByteChunk[],
  afterEvents: number,
  atByte: number | undefined,
  pause: number,
): readonly ByteChunk[] {
  const event = eventIndex(chunks, afterEvents)
  if (event < 0) return chunks
  // The first event from there on with a character that can be split; otherwise the event itself.
  const found =
    atByte === undefined
      ? chunks.findIndex(({ content }, at) => at >= event && content.some(isLeadByte))
      : event
  const index = found < 0 ? event : found
  const chunk = chunks[index]
  if (chunk === undefined || chunk.content.length < 2) return chunks
  const { content, events } = chunk
  const lead = content.findIndex(isLeadByte)
  const offset = atByte ?? (lead < 0 ? Math.floor(content.length / 2) : lead + 1)
  const at = Math.min(content.length - 1, offset)
  const halves: ByteChunk[] = [
    { ...chunk, content: content.subarray(0, at), events: 0 },
    { after: pause, content: content.subarray(at), events, apart: true },
  ]
  return [...chunks.slice(0, index), ...halves, ...chunks.slice(index + 1)]
}

/** Whether a character of several bytes begins here, in UTF-8. */
const isLeadByte = (byte: number): boolean => byte >= 0xc2

function joined(chunks: readonly ByteChunk[], afterEvents: number, count: number): readonly ByteChunk[] {
  const from = eventIndex(chunks, afterEvents)
  if (from < 0) return chunks
  const changed = chunks.slice(0, from)
  let group: ByteChunk[] = []
  let events = 0
  const close = (): void => {
    if (group.length > 0) changed.push(merged(group))
    group = []
    events = 0
  }
  for (const chunk of chunks.slice(from)) {
    group.push(chunk)
    events += chunk.events
    if (events >= count) close()
  }
  close()
  return changed
}

const merged = (group: readonly ByteChunk[]): ByteChunk => ({
  after: group.reduce((sum, { after }) => sum + after, 0),
  content: joinBytes(group.map(({ content }) => content)),
  events: group.reduce((sum, { events }) => sum + events, 0),
  apart: true,
})

function commented(
  chunks: readonly ByteChunk[],
  text: string,
  every: number | undefined,
): readonly ByteChunk[] {
  const content = new TextEncoder().encode(`: ${text}\n\n`)
  const comment = (after: number): ByteChunk => ({ after, content, events: 0, apart: false })
  const interval = every === undefined ? undefined : Math.max(1, every)
  const changed: ByteChunk[] = []
  for (const [index, chunk] of chunks.entries()) {
    let { after } = chunk
    if (interval !== undefined)
      for (; after > interval && changed.length < chunks.length + maxChunks; after -= interval)
        changed.push(comment(interval))
    changed.push({ ...chunk, after })
    if (interval === undefined && chunk.events > 0 && index < chunks.length - 1) changed.push(comment(0))
  }
  return changed
}

/** An event as it is sent. Each line of `data` gets its own line. */
function frame({ event, data, raw }: Pick<StreamEvent, 'event' | 'data' | 'raw'>): string {
  if (raw !== undefined) return raw
  const lines = data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')
  return `${event === undefined ? '' : `event: ${event}\n`}${lines}\n`
}

/** The event with data that cannot be parsed: its first half. A media placeholder is not cut. */
function broken(event: StreamEvent): string {
  const text = frame(event)
  const [end = ''] = /[\r\n]*$/.exec(text) ?? []
  const from = Math.max(0, text.search(/data: /))
  const middle = from + Math.ceil((text.length - end.length - from) / 2) + 3
  const mark = text.lastIndexOf(mediaMark, middle)
  const cut = mark >= 0 && mark + mediaMark.length > middle ? mark + mediaMark.length : middle
  return text.slice(0, Math.min(cut, text.length - end.length)) + end
}

/** An object as JSON in three lines: line endings between tokens have no meaning. */
function inLines(data: string): string {
  return data.startsWith('{') && data.endsWith('}') && data.length > 2 ? `{\n${data.slice(1, -1)}\n}` : data
}
