/** What the journal keeps of a call: references, from which an exchange is made when somebody reads it. */

import { utf8Length } from '../engine/bytes.ts'
import { type EventRun, eventsIn, isRun, streamText } from '../engine/event-run.ts'
import { digest } from '../engine/random.ts'
import { isSecretHeader, redactHeader, redactKey, secretsInQuery, truncate } from '../engine/redact.ts'
import type {
  Cause,
  ExchangeBody,
  ExchangeEnd,
  ExchangeRequest,
  ExchangeResponse,
  Headers,
  JournalEntry,
  SessionNaming,
  StreamedEvent,
} from './exchange.ts'
import { plainEntry } from './plain.ts'

/** An event of a response, and what the edge renders into it. */
export interface SentEvent {
  readonly after: number
  readonly event?: string | undefined
  readonly data: string
  /** Sent verbatim instead. */
  readonly raw?: string | undefined
  readonly media?: unknown
}

/** The part of a cause that the core knows when it has answered. */
type GivenCause = Omit<Cause, 'namedBy' | 'faults' | 'ignored' | 'coming' | 'stalledAfter'>

/** The cause of a response that no rule, resource or rejection has had a part in. */
export const noCause = { requestId: '', unmatched: false, transitions: [], violations: [] } as const

type SentHeaders = Readonly<Record<string, string | undefined>>

interface AppliedFault {
  readonly kind: string
}

/** A call that was answered, as it is handed to the journal. Nothing is copied. */
export interface AnsweredFacts extends Pick<JournalEntry, 'at' | 'realAt' | 'session' | 'operation'> {
  readonly method: string
  /** The path and query as sent, without a session prefix; keys in the query are shortened. */
  readonly url: string
  /** 0 if there is no response. */
  readonly status: number
  readonly cause: GivenCause
  /** The API key as it was sent. */
  readonly key?: string | undefined
  /** The headers as they were sent, with lower-case names. */
  readonly headers?: SentHeaders | undefined
  /** The session that a base-URL prefix named. */
  readonly prefix?: string | undefined
  /** Over HTTP: calls with the same number cannot overlap. */
  readonly chain?: number | undefined
  /** The body of the request as text. */
  readonly request?: string | undefined
  /** Whether this text only describes the body. */
  readonly isSummary?: boolean | undefined
  /** The names of the top-level fields of a JSON body or a form. */
  readonly fields?: readonly string[] | undefined
  /** The top-level fields that the endpoint knows; undefined when it takes any. */
  readonly knownFields?: (() => ReadonlySet<string> | undefined) | undefined
  readonly faults?: readonly AppliedFault[] | undefined
  /** What the reserved value of the request does, in words. */
  readonly reservedEffect?: string | undefined
  /** The headers of the response, to which the edge adds its own. */
  readonly responseHeaders?: SentHeaders | undefined
  readonly events?: readonly (SentEvent | EventRun)[] | undefined
  /** Whether the events are sent exactly as they are here, without faults of the wire or links. */
  readonly isExact?: boolean
  /** Virtual milliseconds before the first event. */
  readonly delay?: number | undefined
}

/** What is kept of the facts. An exchange does not show all of it. */
export interface CallDetails
  extends Omit<AnsweredFacts, 'at' | 'realAt' | 'session' | 'operation' | 'fields' | 'isExact'> {
  status: number
  cause: GivenCause
  readonly headers: SentHeaders
  readonly faults: readonly AppliedFault[]
  readonly delay: number
  /** The length of the whole text of the request. */
  readonly requestLength: number
  /** Whether `request` is only its beginning. */
  readonly isCut: boolean
  /** The unknown top-level fields of the body. */
  readonly ignored: readonly string[]
  /** The number of the first call that began after the response had ended; undefined while it is open. */
  endedBefore: number | undefined
  /** The events of a streamed response, as far as they are kept. */
  events: readonly (SentEvent | EventRun)[] | undefined
}

/**
 * An exchange that makes its parts when they are read: request, response and cause are small objects that
 * nothing keeps. A class, as V8 keeps an object literal with getters in a slow form that takes 12 kB. At most
 * `perBody` characters of each body are kept.
 */
export class KeptExchange implements JournalEntry {
  readonly seq: number
  readonly at: number
  readonly realAt: number | undefined
  readonly session: string
  readonly operation: string | undefined
  ended: ExchangeEnd = 'open'
  /** How many stream events have been sent so far. */
  eventCount = 0
  /** When a response was cut or stalled, or its client left, in virtual milliseconds after the call. */
  endOffset: number | undefined = undefined
  /** When the last part of a response is due that waits for its clock, or was when it ended. */
  waitsUntil: number | undefined = undefined
  /** Roughly how many bytes it holds. */
  weight: number
  readonly #details: CallDetails
  /** The characters of a response that says no more than the events. */
  readonly #mostInEvents: number
  #isInEvents = false
  #text: string | undefined

  // It must not hold on to the facts, whose body may be long.
  constructor(facts: AnsweredFacts, seq: number, perBody: number) {
    this.seq = seq
    this.at = facts.at
    this.realAt = facts.realAt
    this.session = facts.session
    this.operation = facts.operation
    this.#details = detailsFor(facts, perBody)
    this.weight = weightOf(this.#details)
    this.#mostInEvents =
      facts.isExact === true && facts.events?.every((item) => !('media' in item)) === true ? perBody : 0
  }

  /** Not a property: printing an exchange shows no secret. */
  static detailsOf(exchange: object): CallDetails | undefined {
    return #details in exchange ? exchange.#details : undefined
  }

  /** The response is sent with another status. */
  changeStatus(status: number): void {
    this.#details.status = status
  }

  /** The response has another cause than the core knew. */
  changeCause(cause: Pick<Cause, 'decidedBy' | 'rejection'>): void {
    this.#details.cause = { ...this.#details.cause, ...cause }
  }

  /** An event is sent with other data; `raw` if that takes more than one line. */
  changeEvent(index: number, data: string, raw: string | undefined): void {
    const { events } = this.#details
    this.#details.events =
      events && eventsIn(events).map((event, at) => (at === index ? { ...event, data, raw } : event))
  }

  /** The response as it was sent, possibly truncated. */
  get responseText(): string | undefined {
    return this.#text ?? (this.#isInEvents ? streamText(this.#details.events ?? []) : undefined)
  }

  /** The response has ended, before the call with the number `seq`. `text` was sent, if that is known. */
  end(ended: ExchangeEnd, seq: number, text: string | undefined): void {
    this.ended = ended
    this.#details.endedBefore ??= seq
    if (text === undefined) return
    // The text of a stream takes ten times the memory of its events, and is made of them again.
    this.#isInEvents = ended === 'completed' && text.length < this.#mostInEvents
    this.weight -= this.#text?.length ?? 0
    this.#text = this.#isInEvents ? undefined : text
    this.weight += this.#text?.length ?? 0
  }

  get key(): string | undefined {
    const { key } = this.#details
    return key === undefined ? undefined : redactKey(key)
  }

  get caller(): string | undefined {
    const { key } = this.#details
    return key === undefined ? undefined : digest(`caller ${key}`).slice(0, 8)
  }

  get request(): ExchangeRequest {
    const details = this.#details
    return {
      method: details.method,
      url: details.url,
      get headers() {
        return headerPairs(details.headers).map(([name, value]) => [name, redactHeader(name, value)] as const)
      },
      get body() {
        return requestBody(details)
      },
    }
  }

  get response(): ExchangeResponse | undefined {
    const { status, responseHeaders = {}, events } = this.#details
    if (status === 0) return undefined
    const all = (): readonly StreamedEvent[] => streamedEvents(this.#details)
    const body = (): ExchangeBody | undefined => this.#responseBody()
    const { ended, eventCount } = this
    return {
      status,
      get headers() {
        return headerPairs(responseHeaders)
      },
      get body() {
        return body()
      },
      get events() {
        return events && (ended === 'completed' ? all() : all().slice(0, eventCount))
      },
      eventCount: events && eventCount,
    }
  }

  #responseBody(): ExchangeBody | undefined {
    const text = this.responseText
    if (text === undefined) return this.ended === 'open' ? undefined : { size: 0, isComplete: false }
    // Bytes that are no text were decoded with replacements.
    const isComplete = text.length < keptOfBody && !text.includes('\ufffd')
    return { text, size: utf8Length(text), isComplete }
  }

  get cause(): Cause {
    const { cause, faults, ignored, events } = this.#details
    const isOpen = this.ended === 'open'
    return {
      ...cause,
      namedBy: this.#namedBy(),
      faults: faults.map(({ kind }) => kind),
      ignored,
      coming: isOpen && events ? streamedEvents(this.#details).slice(this.eventCount) : undefined,
      stalledAfter: isOpen ? this.endOffset : undefined,
    }
  }

  #namedBy(): SessionNaming {
    const { prefix, headers, key } = this.#details
    if (prefix !== undefined) return 'prefix'
    if ((headers['x-sim-session'] ?? '') !== '') return 'header'
    if (key?.startsWith(`sk-sim-${this.session}-`) === true) return 'key'
    return this.session === 'default' ? 'default' : 'id'
  }

  get firstByteAfter(): number {
    const { delay, events } = this.#details
    return delay + (events?.[0]?.after ?? 0)
  }

  get endedAfter(): number {
    return this.endOffset ?? this.response?.events?.at(-1)?.at ?? this.firstByteAfter
  }

  get redacted(): readonly string[] {
    const { headers, url } = this.#details
    const names = Object.keys(headers).filter(isSecretHeader)
    return [...names.map((name) => `header:${name}`), ...secretsInQuery(url).map((name) => `query:${name}`)]
  }

  toJSON(): JournalEntry {
    return plainEntry(this)
  }
}

/** The details of an exchange; undefined for one that no journal has made. @internal */
export const { detailsOf } = KeptExchange

/** How many characters of one body a session keeps. */
export const keptOfBody = 64 * 1024

function requestBody({ request, requestLength, isCut, isSummary }: CallDetails): ExchangeBody | undefined {
  if (request === undefined) return undefined
  const isComplete = !isCut && isSummary !== true
  return { text: request, size: isComplete ? utf8Length(request) : requestLength, isComplete, isSummary }
}

// Every property is named: V8 keeps an object with spread facts in a slow form that takes 4 kB.
function detailsFor(facts: AnsweredFacts, perBody: number): CallDetails {
  const request = facts.request === undefined ? undefined : truncate(facts.request, perBody)
  return {
    method: facts.method,
    url: facts.url,
    status: facts.status,
    cause: facts.cause,
    key: facts.key,
    headers: facts.headers ?? {},
    prefix: facts.prefix,
    chain: facts.chain,
    request,
    requestLength: facts.request?.length ?? 0,
    isCut: request !== facts.request,
    isSummary: facts.isSummary,
    ignored: ignoredFields(facts),
    knownFields: facts.knownFields,
    faults: facts.faults ?? [],
    reservedEffect: facts.reservedEffect,
    responseHeaders: facts.responseHeaders,
    events: facts.events && firstEvents(facts.events, perBody),
    delay: facts.delay ?? 0,
    endedBefore: undefined,
  }
}

function ignoredFields({ fields = [], knownFields }: AnsweredFacts): readonly string[] {
  const known = knownFields?.()
  const ignored: string[] = []
  if (known !== undefined) for (const name of fields) if (!known.has(name)) ignored.push(name)
  return ignored
}

const entryWeight = 2000
const eventWeight = 100
const traceWeight = 300

function weightOf(details: CallDetails): number {
  const { url, headers, request = '', events = [], cause } = details
  let weight = entryWeight + url.length + request.length
  for (const value of Object.values(headers)) weight += value?.length ?? 0
  for (const item of events) weight += eventWeight * countOf(item) + sizeOf(item)
  return weight + traceWeight * (cause.considered?.length ?? 0)
}

const headerPairs = (headers: SentHeaders): Headers =>
  Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** All events with their times. */
function streamedEvents({ events = [], delay }: CallDetails): readonly StreamedEvent[] {
  let at = delay
  return eventsIn(events).map(({ after, event, data, raw }: SentEvent) => {
    at += after
    return event === undefined || raw !== undefined ? { at, data: raw ?? data } : { at, event, data }
  })
}

/** The first events, as many as fit into so many characters, without what the edge renders into them. */
function firstEvents(
  items: readonly (SentEvent | EventRun)[],
  most: number,
): readonly (SentEvent | EventRun)[] {
  let room = most
  const kept: (SentEvent | EventRun)[] = []
  for (const item of items) {
    const size = sizeOf(item)
    if (size > room) return isRun(item) ? [...kept, ...firstOfRun(item, room)] : kept
    room -= size
    kept.push('media' in item ? { ...item, media: undefined } : item)
  }
  return kept
}

/** The part of a run that fits, if any. */
function firstOfRun(run: EventRun, most: number): readonly EventRun[] {
  const frame = run.head.length + run.tail.length
  let room = most
  const end = run.parts.findIndex((part) => (room -= frame + part.length) < 0)
  return end <= 0 ? [] : [{ ...run, parts: run.parts.slice(0, end) }]
}

function sizeOf(item: SentEvent | EventRun): number {
  if (!isRun(item)) return (item.raw ?? item.data).length
  let size = item.parts.length * (item.head.length + item.tail.length)
  for (const part of item.parts) size += part.length
  return size
}

const countOf = (item: SentEvent | EventRun): number => (isRun(item) ? item.parts.length : 1)
