/** What the journal keeps of a call: references, from which an exchange is made when somebody reads it. */

import { utf8Length } from '../engine/bytes.ts'
import { type EventRun, eventsIn, isRun, streamText } from '../engine/event-run.ts'
import { isFields, jsonIn } from '../engine/fields.ts'
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
import { inspectEntry, inspectMethod, plainEntry } from './plain.ts'

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
  readonly options?: object
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
  /** The parsed body of a JSON request, or the names of the fields of a form. */
  readonly body?: unknown
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

/** The facts that are kept as they are; the exchange has others as properties. */
type SameFacts = Pick<
  AnsweredFacts,
  | 'method'
  | 'url'
  | 'key'
  | 'prefix'
  | 'chain'
  | 'request'
  | 'isSummary'
  | 'knownFields'
  | 'reservedEffect'
  | 'responseHeaders'
>

/** What is kept of the facts. An exchange does not show all of it. */
export interface CallDetails extends SameFacts {
  readonly headers: SentHeaders
  readonly faults: readonly AppliedFault[]
  readonly delay: number
  /** The length of the whole text of the request. */
  readonly requestLength: number
  /** Whether `request` is only its beginning. */
  readonly isCut: boolean
  /** The kept text of a form, or of a cut body, does not show the names of its fields. */
  readonly names: readonly string[] | undefined
  /** The number of the first call that began after the response had ended; undefined while it is open. */
  endedBefore: number | undefined
  /** The events of a streamed response, as far as they are kept. */
  events: readonly (SentEvent | EventRun)[] | undefined
}

/** An event is sent with other data; `raw` if that takes more than one line. @internal */
export function changeEvent(
  exchange: JournalEntry,
  index: number,
  data: string,
  raw: string | undefined,
): void {
  const kept = detailsOf(exchange)
  if (kept?.events === undefined) return
  kept.events = eventsIn(kept.events).map((event, at) => (at === index ? { ...event, data, raw } : event))
}

/**
 * An exchange of which all that costs time is derived when it is read. A class, as V8 keeps an object literal
 * with getters in a slow form that takes 12 kB. At most `perBody` characters of each body are kept.
 */
export class KeptExchange implements JournalEntry {
  readonly seq: number
  readonly at: number
  readonly realAt: number | undefined
  readonly session: string
  readonly operation: string | undefined
  readonly cause: KeptCause
  response: KeptResponse | undefined
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
    const details = detailsFor(facts, perBody)
    this.#details = details
    this.weight = weightOf(facts, details)
    this.cause = new KeptCause(facts, this, details)
    this.response = facts.status === 0 ? undefined : new KeptResponse(facts.status, this, details)
    this.#mostInEvents =
      facts.isExact === true && facts.events?.every((item) => !('media' in item)) === true ? perBody : 0
  }

  /** Not a property: printing an exchange shows no secret. */
  static detailsOf(exchange: object): CallDetails | undefined {
    return #details in exchange ? exchange.#details : undefined
  }

  /** The response has ended, before the call with this number. */
  endBefore(seq: number): void {
    this.#details.endedBefore ??= seq
  }

  /** The response is sent with another status. */
  changeStatus(status: number): void {
    this.response = new KeptResponse(status, this, this.#details)
  }

  /** The response as it was sent, possibly truncated. */
  get responseText(): string | undefined {
    return this.#text ?? (this.#isInEvents ? streamText(this.#details.events ?? []) : undefined)
  }

  /** The text of a stream takes ten times the memory of its events, and is made of them again. */
  set responseText(text: string | undefined) {
    this.#isInEvents = this.ended === 'completed' && text !== undefined && text.length < this.#mostInEvents
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
    return new KeptRequest(this.#details)
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

  [inspectMethod] = inspectEntry
}

/** The details of an exchange; undefined for one that no journal has made. @internal */
export const { detailsOf } = KeptExchange

class KeptRequest implements ExchangeRequest {
  readonly method: string
  readonly url: string
  readonly #details: CallDetails

  constructor(details: CallDetails) {
    this.method = details.method
    this.url = details.url
    this.#details = details
  }

  get headers(): Headers {
    return headerPairs(this.#details.headers).map(([name, value]) => [name, redactHeader(name, value)])
  }

  get body(): ExchangeBody | undefined {
    const { request: text, requestLength, isCut, isSummary } = this.#details
    if (text === undefined) return undefined
    const isComplete = !isCut && isSummary !== true
    return {
      text,
      size: isComplete ? utf8Length(text) : requestLength,
      isComplete,
      isSummary,
    }
  }
}

class KeptResponse implements ExchangeResponse {
  readonly status: number
  readonly #exchange: KeptExchange
  readonly #details: CallDetails

  constructor(status: number, exchange: KeptExchange, details: CallDetails) {
    this.status = status
    this.#exchange = exchange
    this.#details = details
  }

  get headers(): Headers {
    return headerPairs(this.#details.responseHeaders ?? {})
  }

  get body(): ExchangeBody | undefined {
    const { responseText: text, ended } = this.#exchange
    if (text !== undefined) return new KeptText(text)
    return ended === 'open' ? undefined : { size: 0, isComplete: false }
  }

  get events(): readonly StreamedEvent[] | undefined {
    if (this.#details.events === undefined) return undefined
    const events = streamedEvents(this.#details)
    return this.#exchange.ended === 'completed' ? events : events.slice(0, this.#exchange.eventCount)
  }

  get eventCount(): number | undefined {
    return this.#details.events === undefined ? undefined : this.#exchange.eventCount
  }
}

/** How many characters of one body a session keeps. */
export const keptOfBody = 64 * 1024

/** The text of a response. */
class KeptText implements ExchangeBody {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get size(): number {
    return utf8Length(this.text)
  }

  /** Bytes that are no text were decoded with replacements. */
  get isComplete(): boolean {
    return this.text.length < keptOfBody && !this.text.includes('\ufffd')
  }
}

class KeptCause implements Cause {
  readonly requestId: string
  readonly rule: string | undefined
  decidedBy: Cause['decidedBy']
  readonly unmatched: boolean
  readonly transitions: Cause['transitions']
  readonly faults: readonly string[]
  rejection: Cause['rejection']
  readonly violations: Cause['violations']
  readonly considered: Cause['considered']
  readonly rulesTried: number | undefined
  readonly rulesAsked: boolean | undefined
  readonly notes: readonly string[] | undefined
  readonly bug: string | undefined
  readonly #exchange: KeptExchange
  readonly #details: CallDetails

  constructor(facts: AnsweredFacts, exchange: KeptExchange, details: CallDetails) {
    const { cause } = facts
    this.requestId = cause.requestId
    this.rule = cause.rule
    this.decidedBy = cause.decidedBy
    this.unmatched = cause.unmatched
    this.transitions = cause.transitions
    this.faults = details.faults.map(({ kind }) => kind)
    this.rejection = cause.rejection
    this.violations = cause.violations
    this.considered = cause.considered
    this.rulesTried = cause.rulesTried
    this.rulesAsked = cause.rulesAsked
    this.notes = cause.notes
    this.bug = cause.bug
    this.#exchange = exchange
    this.#details = details
  }

  get namedBy(): SessionNaming {
    const { prefix, headers, key } = this.#details
    const { session } = this.#exchange
    if (prefix !== undefined) return 'prefix'
    if ((headers['x-sim-session'] ?? '') !== '') return 'header'
    if (key?.startsWith(`sk-sim-${session}-`) === true) return 'key'
    return session === 'default' ? 'default' : 'id'
  }

  get ignored(): readonly string[] {
    const known = this.#details.knownFields?.()
    if (known === undefined) return []
    const body = jsonIn(this.#details.request)
    const names = this.#details.names ?? (isFields(body) ? Object.keys(body) : [])
    return names.filter((name) => !known.has(name))
  }

  get coming(): readonly StreamedEvent[] | undefined {
    if (this.#exchange.ended !== 'open' || this.#details.events === undefined) return undefined
    return streamedEvents(this.#details).slice(this.#exchange.eventCount)
  }

  get stalledAfter(): number | undefined {
    return this.#exchange.ended === 'open' ? this.#exchange.endOffset : undefined
  }
}

// Every property is named: V8 keeps an object with spread facts in a slow form that takes 4 kB.
function detailsFor(facts: AnsweredFacts, perBody: number): CallDetails {
  const { body } = facts
  const request = facts.request === undefined ? undefined : truncate(facts.request, perBody)
  const isCut = request !== facts.request
  return {
    method: facts.method,
    url: facts.url,
    key: facts.key,
    headers: facts.headers ?? {},
    prefix: facts.prefix,
    chain: facts.chain,
    request,
    requestLength: facts.request?.length ?? 0,
    isCut,
    isSummary: facts.isSummary,
    names: isCut || Array.isArray(body) ? namesIn(body) : undefined,
    knownFields: facts.knownFields,
    faults: facts.faults ?? [],
    reservedEffect: facts.reservedEffect,
    responseHeaders: facts.responseHeaders,
    events: facts.events && firstEvents(facts.events, perBody),
    delay: facts.delay ?? 0,
    endedBefore: undefined,
  }
}

const entryWeight = 2000
const eventWeight = 100
const traceWeight = 300

function weightOf({ cause }: AnsweredFacts, details: CallDetails): number {
  const { url, headers, request = '', events = [] } = details
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

// A list says the names of a form: `image[]` and `image` are one field.
function namesIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.map((name) => String(name).replace(/\[.*$/s, '')))]
  return isFields(body) ? Object.keys(body) : []
}
