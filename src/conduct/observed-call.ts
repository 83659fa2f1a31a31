/**
 * One call as findings look at it: an entry of the journal, and what is worked out of it when a finding asks.
 */
import { Hasher } from '../engine/hash.ts'
import type { CallRecord, JournalEntry } from '../engine/journal-entry.ts'
import type { Operation } from '../protocol/operations.ts'

/** As much of a call as may be kept for long. */
export interface CallRef {
  /** Its number in the session's journal. */
  readonly seq: number
  readonly requestId: string
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  readonly realAt: number | undefined
}

export type Fields = Readonly<Record<string, unknown>>

/**
 * Longer bodies may have been cut by the journal, and two of them with the same beginning need not be the
 * same.
 */
const maxPrintedLength = 60_000

const noFields: Fields = {}

/** `record` is what the journal was told of the call: with it, nothing has to be parsed again. */
export class ObservedCall {
  readonly entry: JournalEntry
  /** What it called; undefined for unknown paths. */
  readonly operation: Operation | undefined
  readonly #record: CallRecord | undefined
  #body: Fields | undefined
  #caller: string | undefined

  constructor(entry: JournalEntry, operation: Operation | undefined, record?: CallRecord) {
    this.entry = entry
    this.operation = operation
    this.#record = record
  }

  /** The fields of a JSON body; empty for any other body, and for one that was not kept whole. */
  get body(): Fields {
    return (this.#body ??=
      this.#record === undefined ? fieldsIn(parsed(this.entry.request)) : fieldsIn(this.#record.body))
  }

  /** Tells keys apart; empty for a call without one. */
  get caller(): string {
    return (this.#caller ??= this.entry.caller ?? '')
  }

  /** The call as it may be kept. */
  get sighting(): CallRef {
    const { seq, requestId, at, realAt } = this.entry
    return { seq, requestId, at, realAt }
  }

  /**
   * Names the request: two calls with the same print ask the same thing with the same key. Undefined when its
   * body was not kept whole.
   */
  get print(): string | undefined {
    const { method, path } = this.entry
    const { request } = this.entry
    if (request === undefined ? method !== 'GET' : request.length > maxPrintedLength) return undefined
    // Texts of any length, and nothing of them is kept.
    return new Hasher()
      .text(this.caller)
      .text(method)
      .text(path)
      .text(request ?? '')
      .words()
      .join()
  }

  /** Fields that the endpoint does not know. */
  get ignored(): readonly string[] {
    return this.entry.ignored
  }

  /** The top-level fields that the endpoint knows; undefined when nobody knows them any more. */
  get known(): ReadonlySet<string> | undefined {
    return this.#record?.knownFields?.()
  }

  /** Whether it is answered with events. */
  get isStream(): boolean {
    return this.#record === undefined ? this.entry.stream.length > 0 : this.#record.events !== undefined
  }

  /** A header of the request; secrets are shortened. */
  header(name: string): string | undefined {
    return this.entry.headers[name]
  }

  /** The path without its query. */
  get path(): string {
    const { path } = this.entry
    const end = path.indexOf('?')
    return end < 0 ? path : path.slice(0, end)
  }

  /** Whether the client gave the request a name by which a second one can be told to be the same. */
  get isIdempotent(): boolean {
    return this.header('idempotency-key') !== undefined || this.header('x-idempotency-key') !== undefined
  }

  /**
   * Whether it came over a socket, where requests can overtake each other: there is no HTTP request without a
   * host.
   */
  get isOverSocket(): boolean {
    return this.header('host') !== undefined
  }

  /**
   * Whether it came within so many real milliseconds of another call; false where nobody has read a wall
   * clock.
   */
  isWithin(ms: number, { realAt }: CallRef): boolean {
    return realAt !== undefined && this.entry.realAt !== undefined && this.entry.realAt - realAt < ms
  }

  /** Whether an SDK says that it sends the request again by itself (wire-formats 1.5). */
  get isRetryOfSdk(): boolean {
    return Number(this.header('x-stainless-retry-count') ?? this.header('x-typesafe-retry-count') ?? 0) > 0
  }

  /** Whether something else than the client decided the reply: a rule, a reserved value, a fault. */
  get isPlanned(): boolean {
    const { rule, decidedBy, faults } = this.entry
    return rule !== undefined || decidedBy !== undefined || faults.length > 0
  }

  /** How long after another call it came, in virtual milliseconds. */
  since({ at }: CallRef): number {
    return this.entry.at - at
  }

  /**
   * How long its client has waited behind another call, in milliseconds: of virtual and real time the longer,
   * so that nobody who waited is blamed.
   */
  waited({ at, realAt }: CallRef): number {
    const virtual = this.entry.at - at
    const real = this.entry.realAt
    return realAt === undefined || real === undefined ? virtual : Math.max(virtual, real - realAt)
  }
}

function fieldsIn(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : noFields
}

/** A text as JSON; undefined when it is none, or not all of it. */
export function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
