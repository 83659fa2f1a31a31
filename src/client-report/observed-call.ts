/** The type of a client finding, and its input: the calls of a session, and their jobs. */

import { BoundedMap } from '../engine/bounded-map.ts'
import type { ClockMode } from '../engine/clock.ts'
import { type Fields, isFields, jsonIn, listOf, percentDecoded } from '../engine/fields.ts'
import { Hasher } from '../engine/hash.ts'
import { headerIn, isStream, type JournalEntry } from '../exchange/exchange.ts'
import { type AnsweredFacts, detailsOf } from '../exchange/kept-exchange.ts'
import type { Severity } from '../generated/control-types.ts'
import type { Operation, Selector } from '../protocol/operations.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { valueAt } from '../protocol/wording.ts'

export interface CallRef {
  /** The `seq` in the journal of the session. */
  readonly seq: number
  readonly requestId: string
  /** The rule that responded. */
  readonly rule: string | undefined
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  readonly realAt: number | undefined
  /** The connection, over HTTP: calls on one connection cannot overlap. */
  readonly chain: number | undefined
}

/** The journal may have truncated longer bodies, and different ones could look the same. */
const maxComparedLength = 60_000

const noFields: Fields = {}

/** `record` is the source of the journal entry: it has the parsed values. */
export class ObservedCall {
  readonly entry: JournalEntry
  /** Undefined for unknown paths. */
  readonly operation: Operation | undefined
  readonly #record: AnsweredFacts | undefined
  readonly #callerOf: (entry: JournalEntry) => string
  #body: Fields | undefined
  #polled: JobRef | null | undefined
  #inPath: JobRef | null | undefined

  constructor(
    entry: JournalEntry,
    operation: Operation | undefined,
    callerOf: (entry: JournalEntry) => string,
    record?: AnsweredFacts,
  ) {
    this.entry = entry
    this.operation = operation
    this.#callerOf = callerOf
    this.#record = record
  }

  /** The fields of a JSON body; empty for other bodies, and for truncated ones. */
  get body(): Fields {
    if (this.#body !== undefined) return this.#body
    const body = this.#record === undefined ? jsonIn(this.entry.request.body?.text) : this.#record.body
    return (this.#body = isFields(body) ? body : noFields)
  }

  /** Identifies the API key; empty for a call without one. */
  get caller(): string {
    return this.#callerOf(this.entry)
  }

  get ref(): CallRef {
    const { seq, at, realAt, cause } = this.entry
    return {
      seq,
      requestId: cause.requestId,
      rule: cause.rule,
      at,
      realAt,
      chain: detailsOf(this.entry)?.chain,
    }
  }

  /** Equal for identical calls with the same API key; undefined for a truncated body. */
  get fingerprint(): string | undefined {
    const { method, url, body } = this.entry.request
    const text = body?.text
    if (text === undefined ? method !== 'GET' : text.length > maxComparedLength) return undefined
    // A hash, because the strings can be long.
    return new Hasher()
      .text(this.caller)
      .text(method)
      .text(url)
      .text(text ?? '')
      .words()
      .join()
  }

  /** The job that a poll asks for; null if there is none. Cached, because every watch of jobs reads it. */
  get polled(): JobRef | undefined {
    if (this.#polled === undefined) this.#polled = polledJob(this) ?? null
    return this.#polled ?? undefined
  }

  /** The job in the path of a call that does not poll. */
  get jobInPath(): JobRef | undefined {
    if (this.#inPath === undefined) this.#inPath = jobInPath(this) ?? null
    return this.#inPath ?? undefined
  }

  /** Unknown fields of the endpoint. */
  get ignored(): readonly string[] {
    return this.entry.cause.ignored
  }

  /** The known top-level fields of the endpoint; undefined without a record. */
  get known(): ReadonlySet<string> | undefined {
    return this.#record?.knownFields?.()
  }

  get isStream(): boolean {
    return this.#record === undefined ? isStream(this.entry) : this.#record.events !== undefined
  }

  /** A header of the request; secrets are shortened. */
  header(name: string): string | undefined {
    return headerIn(this.entry.request.headers, name)
  }

  get path(): string {
    const { url } = this.entry.request
    const end = url.indexOf('?')
    return end < 0 ? url : url.slice(0, end)
  }

  /** Whether it came over a socket, where requests can be reordered. Every HTTP request has a host. */
  get isOverSocket(): boolean {
    return this.header('host') !== undefined
  }

  /** Whether its connection shows that the client had the response to another call before this one. */
  isAfter({ chain }: CallRef): boolean {
    return chain !== undefined && detailsOf(this.entry)?.chain === chain
  }

  /** Whether it came within this many real milliseconds after another call; false without real times. */
  isWithin(ms: number, { realAt }: CallRef): boolean {
    return realAt !== undefined && this.entry.realAt !== undefined && this.entry.realAt - realAt < ms
  }

  /** Whether a header of the SDK marks the request as a retry. */
  get isRetryOfSdk(): boolean {
    return Number(this.header('x-stainless-retry-count') ?? this.header('x-typesafe-retry-count') ?? 0) > 0
  }

  /** Whether a rule, a reserved value or a fault decided the response. */
  get isPlanned(): boolean {
    const { cause } = this.entry
    return cause.rule !== undefined || cause.decidedBy !== undefined || cause.faults.length > 0
  }

  /** The time since another call, in virtual milliseconds. */
  since({ at }: CallRef): number {
    return this.entry.at - at
  }

  /** The wait after another call, in virtual or real milliseconds, whichever is longer. */
  hasWaitedFor(call: CallRef): number {
    // Every poll comes here, so it calls no other method.
    const { at, realAt } = this.entry
    const virtual = at - call.at
    return call.realAt === undefined || realAt === undefined
      ? virtual
      : Math.max(virtual, realAt - call.realAt)
  }

  /** The wait after another call, in real milliseconds; undefined without real times. */
  hasReallyWaitedFor({ realAt }: CallRef): number | undefined {
    const real = this.entry.realAt
    return realAt === undefined || real === undefined ? undefined : real - realAt
  }
}

/** One case of a finding: its subject, its facts, and the calls that are its evidence. */
export interface FindingCase {
  /** The subject (a job, a field). A kind of finding is reported once for each subject. */
  readonly subject: string
  /** One sentence with the facts of this case. */
  readonly message: string
  /** What to do instead in this case. Default: the kind's `remedy`. */
  readonly remedy?: string
  readonly calls: readonly CallRef[]
}

export interface WatchTools {
  /** Waits are checked only in `real` and `manual`: in `auto`, clients need not wait. */
  readonly mode: ClockMode
  /** How much faster than the wall clock a `real` clock runs now. */
  readonly speed: () => number
  /** What the clients knew about their jobs before this call. */
  readonly jobs: Jobs
  report(finding: FindingCase): void
  /** Counts a wait that cannot be checked. */
  unchecked(): void
}

/** Follows the calls of one session, in bounded memory. */
export interface Watch {
  /** While true, `called` is skipped, and `ended` sees only rejections, faults and broken connections. */
  isIdle?: boolean
  called?(call: ObservedCall): void
  ended?(call: ObservedCall): void
  /** The findings if no calls follow after this virtual time (milliseconds). Changes nothing. */
  finish?(now: number): readonly FindingCase[]
}

export interface FindingKind {
  /** Its name in settings and reports: `polled-too-fast`. */
  readonly id: string
  readonly severity: Severity
  /** What the client did, in one sentence. */
  readonly summary: string
  /** What to do instead, in one sentence. */
  readonly remedy: string
  /** Similar behaviour that is correct. */
  readonly exceptions?: string
  /** The operations that it concerns. Default: all requests, including those to unknown paths. */
  readonly on?: Selector
  /**
   * The fields that `called` needs: without any of them it is not called. `unknown` stands for unknown fields
   * of the endpoint. Default: any field.
   */
  fields?(operation: Operation | undefined): readonly string[] | 'unknown'
  watch(tools: WatchTools): Watch
}

export type JobEnd = 'succeeded' | 'failed'

export type JobRef = Pick<Job, 'kind' | 'id'>

export interface Job {
  readonly kind: ScriptedKind
  readonly id: string
  /** The caller that submitted it; undefined for a job given by a scenario. */
  readonly caller: string | undefined
  /** Its final status, according to the first response with one. */
  readonly end: JobEnd | undefined
  readonly reportedBy: CallRef | undefined
}

export interface Jobs {
  find(kind: ScriptedKind, id: string): Job | undefined
  all(): Iterable<Job>
}

/** Whether responses of an operation contain jobs of earlier calls. */
export function showsJobs(operation: Operation | undefined): boolean {
  return operation?.endpoint.polls !== undefined || operation?.endpoint.lists !== undefined
}

const maxJobs = 10_000

function polledJob(call: ObservedCall): JobRef | undefined {
  const polls = call.operation?.endpoint.polls
  if (polls === undefined) return undefined
  const name = polls.field === undefined ? call.path : call.body[polls.field]
  const id = typeof name === 'string' ? lastPart(name) : undefined
  return id === undefined ? undefined : { kind: polls.kind, id }
}

/** The job that a call created, regardless of its response; undefined if there is none. */
export function createdJob({ operation, entry }: ObservedCall): JobRef | undefined {
  const kind = operation?.endpoint.submits
  if (kind === undefined) return undefined
  for (const { resource, from, id } of entry.cause.transitions)
    if (from === null && resource === kind.resource) return { kind, id }
  return undefined
}

/** Whether a fault has damaged the JSON of a complete response. */
export function isUnreadable(entry: JournalEntry): boolean {
  if (entry.cause.faults.length === 0 || isStream(entry)) return false
  const text = entry.response?.body?.text
  return text !== undefined && /^\s*[[{]/.test(text) && jsonIn(text) === undefined
}

function jobInPath({ operation, path }: ObservedCall): JobRef | undefined {
  const { about, path: pattern, idsIn } = operation?.endpoint ?? {}
  if (about === undefined) return undefined
  const at = pattern?.split('/').indexOf(`{${idsIn?.params?.[0]}}`) ?? -1
  const id = path.split('/')[at]
  return id === undefined || id === '' ? undefined : { kind: about, id: percentDecoded(id) ?? id }
}

/**
 * The jobs of one session. `called` and `ended` need, in order, every call that created or returned one.
 */
export function createJobs(): Jobs & { called(call: ObservedCall): void; ended(call: ObservedCall): void } {
  const known = new BoundedMap<Job>({ count: maxJobs })
  const keyOf = ({ resource }: ScriptedKind, id: string): string => `${resource} ${id}`

  const recordEnd = (kind: ScriptedKind, id: string, end: JobEnd | undefined, source: ObservedCall): void => {
    if (end === undefined) return
    const key = keyOf(kind, id)
    const job = known.get(key)
    // A job that returns to an earlier state has still ended once.
    if (job?.end === undefined) known.set(key, { kind, id, caller: job?.caller, end, reportedBy: source.ref })
  }

  return {
    find: (kind, id) => known.get(keyOf(kind, id)),
    all: () => known.values(),
    called(call) {
      const made = createdJob(call)
      if (made === undefined) return
      const { kind, id } = made
      known.set(keyOf(kind, id), { kind, id, caller: call.caller, end: undefined, reportedBy: undefined })
    },
    ended(call) {
      const { ended, response, cause } = call.entry
      const listed = call.operation?.endpoint.lists
      if (response?.status !== 200 || ended === 'aborted') return
      const job = call.polled ?? createdJob(call)
      if (job !== undefined) {
        const { kind, id } = job
        // Only the first end counts, and parsing a response takes time.
        if (known.get(keyOf(kind, id))?.end !== undefined) return
        const shown = cause.transitions.find((one) => one.resource === kind.resource && one.id === id)?.to
        const text = response.body?.text
        recordEnd(kind, id, text === undefined ? endOf(kind, shown) : endIn(call, kind, text), call)
      } else if (listed !== undefined) {
        for (const one of listOf(valueAt(jsonIn(response.body?.text), ['data']))) {
          const id = valueAt(one, ['id'])
          if (typeof id === 'string') recordEnd(listed, id, endOf(listed, valueAt(one, ['status'])), call)
        }
      }
    },
  }
}

// From the response, which a rule may have changed.
function endIn(call: ObservedCall, kind: ScriptedKind, response: string): JobEnd | undefined {
  if (kind.readEnd !== undefined) return kind.readEnd(response)
  // Most jobs have not ended, which a search shows without parsing. A rule may escape the word differently.
  const { succeeded, failed } = kind.ended
  const hasWord = (status: unknown): boolean => response.includes(JSON.stringify(status))
  if (!call.isPlanned && !hasWord(succeeded) && !hasWord(failed)) return undefined
  return endOf(kind, valueAt(jsonIn(response), ['status']))
}

function endOf({ ended }: ScriptedKind, status: unknown): JobEnd | undefined {
  if (status === ended.succeeded) return 'succeeded'
  return status === ended.failed ? 'failed' : undefined
}

function lastPart(path: string): string | undefined {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last === '' ? undefined : (percentDecoded(last) ?? last)
}
