/** Checks a call against the expectations of its step. */

import { readStream, type StreamEvent, type StreamReading } from '../protocol/read-stream.ts'
import { neutralFinish } from '../protocol/script.ts'
import { clip, valueAt } from '../protocol/wording.ts'
import { type Comparing, differences as differencesOf, isOperators } from '../scenario/compile/match-value.ts'
import type { EventExpectation, Expectation } from '../scenario/format/steps.ts'
import { counted } from '../text/printable.ts'
import { type Difference, lowerCaseNames } from './build-request.ts'
import { jsonOf, type SentExchange } from './send.ts'

interface ReceivedEvent extends StreamEvent {
  /** Milliseconds after the request. */
  readonly elapsed: number
}

type EndedStream = StreamReading<ReceivedEvent> & { readonly ended: SentExchange['streamEnd'] }

/** The parts of a call that expectations and `save` can refer to. */
export interface CallView {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly text: string | undefined
  readonly bytes: number | undefined
  readonly took: number | undefined
  readonly stream: EndedStream | undefined
  readonly broken: SentExchange['broken']
  /** Why it broke. */
  readonly reason: string | undefined
}

export function viewOf({ response, streamEnd, broken, reason, firstByteAfter }: SentExchange): CallView {
  const events = response?.events?.map(({ at, ...event }) => ({ ...event, elapsed: at }))
  return {
    status: response?.status,
    headers: Object.fromEntries(response?.headers ?? []),
    body: jsonOf(response),
    text: response?.body?.text,
    bytes: response?.body?.size,
    took: response === undefined ? undefined : firstByteAfter,
    stream: events === undefined ? undefined : { ...readStream(events), ended: streamEnd },
    broken,
    reason,
  }
}

interface Circumstances {
  /** Whether the client leaves the stream before its end. */
  readonly leaves?: boolean
  /** Whether times are virtual; real ones, which depend on machines and networks, are not checked. */
  readonly isTimed: boolean
}

/**
 * The differences from the expectation. By default the call must succeed: a status below 400, a complete
 * body, a stream with its end marker (unless the step aborts it) and without an error.
 */
export function unmet(
  expected: Expectation,
  view: CallView,
  { leaves = false, isTimed }: Circumstances,
): Difference[] {
  const found: Difference[] = []
  const say = (field: string, wanted: string, got: unknown): void =>
    void found.push({ field, expected: wanted, got: typeof got === 'string' ? got : shown(got) })
  const { stream, reason } = view
  const because = reason === undefined ? '' : ` (${reason})`
  const broken = view.broken === undefined ? 'no connection failure' : view.broken + because
  if (expected.broken !== undefined && expected.broken !== view.broken) say('broken', expected.broken, broken)
  if (expected.broken === undefined && view.broken !== undefined) say('broken', 'a complete response', broken)
  if (expected.status !== undefined) found.push(...differences(expected.status, view.status, 'status'))
  else if (expected.broken === undefined && view.status !== undefined && view.status >= 400)
    say(
      'status',
      'a status below 400 (the default)',
      `${view.status}${view.body === undefined ? '' : ` ${shown(messageOf(view.body))}`}`,
    )
  for (const [name, shape] of Object.entries(lowerCaseNames(expected.headers)))
    found.push(...differences(shape, view.headers[name], `headers.${name}`, { texts: true }))
  for (const part of ['body', 'text', 'bytes', ...(isTimed ? (['took'] as const) : [])] as const)
    if (expected[part] !== undefined) found.push(...differences(expected[part], view[part], part))
  if (stream === undefined) {
    if (expected.stream !== undefined && found.length === 0)
      say(
        'stream',
        'a stream of events',
        view.status === undefined
          ? 'no response'
          : `a response with the content type ${view.headers['content-type'] ?? 'unknown'}`,
      )
    return found
  }
  const { events, ended = leaves ? 'aborted' : 'completed', finish, ...words } = expected.stream ?? {}
  for (const [word, shape] of Object.entries(words))
    if (shape !== undefined)
      found.push(...differences(shape, stream[word as keyof EndedStream], `stream.${word}`))
  if (finish !== undefined) found.push(...finishUnmet(finish, stream.finish))
  if (expected.stream?.error === undefined && stream.error !== undefined)
    say('stream.error', 'no error event', shown(messageOf({ error: stream.error })))
  // A stream may end before the step aborts it.
  const endedAsExpected =
    ended === stream.ended || (leaves && expected.stream?.ended === undefined && stream.ended === 'completed')
  // Already reported if the stream ended with an error event.
  if (!endedAsExpected && !(expected.stream?.ended === undefined && stream.error !== undefined))
    say('stream.ended', ended, stream.ended + because)
  found.push(...eventsUnmet(events ?? [], stream, isTimed))
  return found
}

// The finish reason as the API names it, and its neutral name: one must match; with `not`, both.
function finishUnmet(shape: unknown, word: string | undefined): Difference[] {
  const neutral = neutralFinish(word)
  const words = neutral === undefined || neutral === word ? [word] : [word, neutral]
  const all = words.map((one) => differences(shape, one, 'stream.finish'))
  const wrong = all.filter((one) => one.length > 0)
  if (wrong.length === 0 || (wrong.length < all.length && !(isOperators(shape) && 'not' in shape))) return []
  return wrong[0] as Difference[]
}

function eventsUnmet(
  expected: readonly EventExpectation[],
  { events }: EndedStream,
  isTimed: boolean,
): Difference[] {
  const found: Difference[] = []
  let next = 0
  for (const { index: at, event, data, elapsed } of expected) {
    const index = at === 'last' ? events.length - 1 : (at ?? next)
    next = index + 1
    const field = `stream.events[${Math.max(0, index)}]`
    const received = events[index]
    if (received === undefined) {
      found.push({ field, expected: 'an event', got: counted(events.length, 'event') })
      continue
    }
    if (event !== undefined) found.push(...differences(event, received.event, `${field}.event`))
    if (data !== undefined) found.push(...differences(data, received.data, `${field}.data`))
    if (elapsed !== undefined && isTimed)
      found.push(...differences(elapsed, received.elapsed, `${field}.elapsed`))
  }
  return found
}

const messageOf = (body: unknown): unknown => valueAt(body, ['error', 'message']) ?? body

/** Empty if the value matches; an undefined `value` is a missing field. */
function differences(shape: unknown, value: unknown, field: string, how?: Comparing): Difference[] {
  return [...differencesOf(shape, value, how)].map(({ path, expected, got }) => ({
    field: path.reduce<string>((before, part) => {
      if (typeof part === 'number') return `${before}[${part}]`
      return before === '' ? part : `${before}.${part}`
    }, field),
    expected,
    got: shown(got),
  }))
}

/** A value in a report: JSON, clipped if it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return clip(JSON.stringify(value) ?? String(value), 200)
}
