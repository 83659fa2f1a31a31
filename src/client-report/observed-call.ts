/**
 * One call as findings see it: a journal entry, with what they derive from it lazily.
 */
import { type Fields, isFields, jsonIn } from '../engine/fields.ts'
import { Hasher } from '../engine/hash.ts'
import type { CallRecord, JournalEntry } from '../engine/journal-entry.ts'
import type { Operation } from '../protocol/operations.ts'

export interface CallRef {
  /** Its number in the session's journal. */
  readonly seq: number
  readonly requestId: string
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  readonly realAt: number | undefined
}

/**
 * Longer bodies may have been cut by the journal, so that different ones could look the same.
 */
const maxComparedLength = 60_000

const noFields: Fields = {}

/** `record` is what the journal recorded from: with it, nothing has to be parsed again. */
export class ObservedCall {
  readonly entry: JournalEntry
  /** Undefined for unknown paths. */
  readonly operation: Operation | undefined
  readonly #record: CallRecord | undefined
  #body: Fields | undefined
  #caller: string | undefined

  constructor(entry: JournalEntry, operation: Operation | undefined, record?: CallRecord) {
    this.entry = entry
    this.operation = operation
    this.#record = record
  }

  /** The fields of a JSON body; empty for other bodies, and for one that was not kept whole. */
  get body(): Fields {
    if (this.#body !== undefined) return this.#body
    const body = this.#record === undefined ? jsonIn(this.entry.request) : this.#record.body
    return (this.#body = isFields(body) ? body : noFields)
  }

  /** Tells keys apart; empty for a call without one. */
  get caller(): string {
    return (this.#caller ??= this.entry.caller ?? '')
  }

  get ref(): CallRef {
    const { seq, requestId, at, realAt } = this.entry
    return { seq, requestId, at, realAt }
  }

  /**
   * Identifies the request: two calls with the same fingerprint request the same with the same key. Undefined
   * if the body was not kept whole.
   */
  get fingerprint(): string | undefined {
    const { method, path } = this.entry
    const { request } = this.entry
    if (request === undefined ? method !== 'GET' : request.length > maxComparedLength) return undefined
    // A hash, because the texts can be long.
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

  /** The top-level fields that the endpoint knows; undefined without a record. */
  get known(): ReadonlySet<string> | undefined {
    return this.#record?.knownFields?.()
  }

  get isStream(): boolean {
    return this.#record === undefined ? this.entry.stream.length > 0 : this.#record.events !== undefined
  }

  /** A header of the request; secrets are shortened. */
  header(name: string): string | undefined {
    return this.entry.headers[name]
  }

  get path(): string {
    const { path } = this.entry
    const end = path.indexOf('?')
    return end < 0 ? path : path.slice(0, end)
  }

  get isIdempotent(): boolean {
    return this.header('idempotency-key') !== undefined || this.header('x-idempotency-key') !== undefined
  }

  /**
   * Whether it came over a socket, where requests can overtake each other: every HTTP request has a host.
   */
  get isOverSocket(): boolean {
    return this.header('host') !== undefined
  }

  /**
   * Whether it came within this many real milliseconds after another call; false without real times.
   */
  isWithin(ms: number, { realAt }: CallRef): boolean {
    return realAt !== undefined && this.entry.realAt !== undefined && this.entry.realAt - realAt < ms
  }

  /** Whether an SDK says that it sends the request again by itself (wire-formats 1.5). */
  get isRetryOfSdk(): boolean {
    return Number(this.header('x-stainless-retry-count') ?? this.header('x-typesafe-retry-count') ?? 0) > 0
  }

  /** Whether a rule, a reserved value or a fault decided the reply. */
  get isPlanned(): boolean {
    const { rule, decidedBy, faults } = this.entry
    return rule !== undefined || decidedBy !== undefined || faults.length > 0
  }

  /** How long after another call it came, in virtual milliseconds. */
  since({ at }: CallRef): number {
    return this.entry.at - at
  }

  /**
   * How long its client waited after another call, in milliseconds: virtual or real time, whichever is
   * longer, so that no client that waited is blamed.
   */
  hasWaitedFor({ at, realAt }: CallRef): number {
    const virtual = this.entry.at - at
    const real = this.entry.realAt
    return realAt === undefined || real === undefined ? virtual : Math.max(virtual, real - realAt)
  }
}
