/** The calls of one session as the judges of clients read them. Only this file reads journal entries. */
import type { ClockMode } from '../../engine/clock.ts'
import { type Fields, isFields, jsonIn, listOf, percentDecoded } from '../../engine/fields.ts'
import { headerIn, isStream, type JournalEntry, statusOf } from '../../exchange/exchange.ts'
import { detailsOf } from '../../exchange/kept-exchange.ts'
import type { Operation } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { valueAt } from '../../protocol/wording.ts'

/** What a session has recorded. */
export interface SessionRecord {
  /** The calls that the journal has, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** The clock mode. Waits are checked only in `real` and `manual`: in `auto`, clients need not wait. */
  readonly mode: ClockMode
  /** How much faster than the wall clock its `real` clock runs. */
  readonly speed: number
  operation(id: string): Operation | undefined
}

/** A call with all that is known of it after its end. */
export class SessionCall {
  readonly entry: JournalEntry
  /** Undefined for unknown paths. */
  readonly operation: Operation | undefined
  readonly #callerOf: (entry: JournalEntry) => string
  #body: Fields | undefined
  #polled: JobRef | null | undefined

  constructor(
    entry: JournalEntry,
    operation: Operation | undefined,
    callerOf: (entry: JournalEntry) => string,
  ) {
    this.entry = entry
    this.operation = operation
    this.#callerOf = callerOf
  }

  get seq(): number {
    return this.entry.seq
  }

  get requestId(): string {
    return this.entry.cause.requestId
  }

  get method(): string {
    return this.entry.request.method
  }

  /** The path and query. */
  get url(): string {
    return this.entry.request.url
  }

  /** 0 if there is no response. */
  get status(): number {
    return statusOf(this.entry)
  }

  /** The body of the response, as far as it is kept. */
  get responseText(): string | undefined {
    return this.entry.response?.body?.text
  }

  /** How many events of a stream were sent. */
  get eventCount(): number {
    return this.entry.response?.eventCount ?? 0
  }

  get ended(): JournalEntry['ended'] {
    return this.entry.ended
  }

  get hasFaults(): boolean {
    return this.entry.cause.faults.length > 0
  }

  /** The first call that began after its response had ended; undefined while it is open. */
  get endedBefore(): number | undefined {
    const { entry } = this
    if (entry.ended === 'open') return undefined
    // A list from elsewhere does not say when responses ended: a client sends one call after the other.
    return detailsOf(entry)?.endedBefore ?? entry.seq + 1
  }

  /** Whether a client may have known its response when it sent another call. */
  isKnownTo({ seq }: SessionCall): boolean {
    const { endedBefore } = this
    return endedBefore !== undefined && endedBefore <= seq
  }

  /** Its operation, or its path if it has none. */
  get name(): string {
    return this.entry.operation ?? this.path
  }

  get path(): string {
    return this.url.split('?', 1)[0] as string
  }

  /** The fields of a JSON body; empty for other bodies, and for truncated ones. */
  get body(): Fields {
    if (this.#body !== undefined) return this.#body
    const body = jsonIn(this.entry.request.body?.text)
    return (this.#body = isFields(body) ? body : {})
  }

  /** Identifies the API key; empty for a call without one. */
  get caller(): string {
    return this.#callerOf(this.entry)
  }

  /** Equal for identical calls with the same API key; undefined if the journal has only part of the body. */
  get identity(): string | undefined {
    const { method, url } = this
    const text = this.entry.request.body?.text
    const isWhole = text === undefined ? method === 'GET' : text.length <= maxComparedLength
    return isWhole ? `${this.caller} ${method} ${url} ${text ?? ''}` : undefined
  }

  /** The top-level fields that the endpoint knows; undefined when it takes any. */
  get knownFields(): ReadonlySet<string> | undefined {
    return detailsOf(this.entry)?.knownFields?.()
  }

  /** A header of the request; secrets are shortened. */
  header(name: string): string | undefined {
    return headerIn(this.entry.request.headers, name)
  }

  /** Whether a header of the SDK marks it as a retry. */
  get isRetryOfSdk(): boolean {
    return Number(this.header('x-stainless-retry-count') ?? this.header('x-typesafe-retry-count') ?? 0) > 0
  }

  get isStream(): boolean {
    return isStream(this.entry)
  }

  /** Whether a fault has damaged the JSON of a complete response. */
  get isUnreadable(): boolean {
    const text = this.responseText
    if (!this.hasFaults || text === undefined || this.isStream) return false
    return /^\s*[[{]/.test(text) && jsonIn(text) === undefined
  }

  /** Whether a rule, a reserved value or a fault decided the response. */
  get isPlanned(): boolean {
    const { rule, decidedBy } = this.entry.cause
    return rule !== undefined || decidedBy !== undefined || this.hasFaults
  }

  /** The number of its connection, over HTTP: calls on one connection cannot overlap. */
  get connection(): number | undefined {
    return detailsOf(this.entry)?.chain
  }

  /** The wait since another call, in virtual or real milliseconds, whichever is longer. */
  hasWaitedFor(before: SessionCall): number {
    return Math.max(this.entry.at - before.entry.at, this.hasReallyWaitedFor(before) ?? 0)
  }

  /** The wait since another call in real milliseconds; undefined without real times. */
  hasReallyWaitedFor(before: SessionCall): number | undefined {
    const [from, to] = [before.entry.realAt, this.entry.realAt]
    return from === undefined || to === undefined ? undefined : to - from
  }

  /** The job that it polls. */
  get polled(): JobRef | undefined {
    if (this.#polled === undefined) this.#polled = polledJob(this) ?? null
    return this.#polled ?? undefined
  }

  /** The job in the path of a call that does not poll. */
  get jobInPath(): JobRef | undefined {
    const { job, path: pattern, idsIn } = this.operation?.endpoint ?? {}
    const about = job?.about
    if (about === undefined) return undefined
    const at = pattern?.split('/').indexOf(`{${idsIn?.params?.[0]}}`) ?? -1
    const id = this.path.split('/')[at]
    return id === undefined || id === '' ? undefined : { kind: about, id: percentDecoded(id) ?? id }
  }

  /** The job that it created, regardless of its response. */
  get created(): JobRef | undefined {
    const kind = this.operation?.endpoint.job?.submits
    const made = this.entry.cause.transitions.find(
      ({ from, resource }) => from === null && resource === kind?.resource,
    )
    return kind === undefined || made === undefined ? undefined : { kind, id: made.id }
  }
}

/** The journal may have truncated longer bodies, and different ones could look the same. */
const maxComparedLength = 60_000

/** The beginning of a call, or the end of its response. */
export interface Moment {
  readonly call: SessionCall
  readonly isEnd: boolean
}

export interface RecordedSession {
  readonly mode: ClockMode
  readonly speed: number
  readonly calls: readonly SessionCall[]
  /** The beginnings and ends of all calls, in order. */
  readonly moments: readonly Moment[]
  /** The jobs that a call created or a response showed, by `jobKey`. */
  readonly jobs: ReadonlyMap<string, Job>
}

export function recordedSession({ entries, mode, speed, operation }: SessionRecord): RecordedSession {
  const callerOf = rememberCallers()
  const calls = entries.map((entry) => new SessionCall(entry, operation(entry.operation ?? ''), callerOf))
  const moments = momentsOf(calls)
  return { mode, speed, calls, moments, jobs: jobsOf(moments) }
}

function momentsOf(calls: readonly SessionCall[]): readonly Moment[] {
  const ends = calls
    .filter(({ endedBefore }) => endedBefore !== undefined)
    .toSorted((a, b) => (a.endedBefore as number) - (b.endedBefore as number))
  const moments: Moment[] = []
  let ended = 0
  for (const call of calls) {
    for (; ends[ended]?.isKnownTo(call) === true; ended++)
      moments.push({ call: ends[ended] as SessionCall, isEnd: true })
    moments.push({ call, isEnd: false })
  }
  for (const call of ends.slice(ended)) moments.push({ call, isEnd: true })
  return moments
}

/** Names callers by their keys: making a name of a key is slow, and a session has few keys. */
function rememberCallers(): (entry: JournalEntry) => string {
  const callers = new Map<string, string>()
  return (entry) => {
    const key = detailsOf(entry)?.key
    if (key === undefined) return entry.caller ?? ''
    const caller = callers.get(key) ?? entry.caller ?? ''
    callers.set(key, caller)
    return caller
  }
}

export interface JobRef {
  readonly kind: ScriptedKind
  readonly id: string
}

export interface Job extends JobRef {
  /** The caller that submitted it; undefined for a job given by a scenario. */
  caller?: string
  /** The first response that showed its final status. */
  ended?: { readonly as: 'success' | 'failure'; readonly by: SessionCall }
}

export const jobKey = ({ kind, id }: JobRef): string => `${kind.resource} ${id}`

function polledJob({ operation, path, body }: SessionCall): JobRef | undefined {
  const polls = operation?.endpoint.job?.polls
  if (polls === undefined) return undefined
  const name = polls.field === undefined ? path : body[polls.field]
  const id = typeof name === 'string' ? name.slice(name.lastIndexOf('/') + 1) : ''
  return id === '' ? undefined : { kind: polls.kind, id: percentDecoded(id) ?? id }
}

function jobsOf(moments: readonly Moment[]): ReadonlyMap<string, Job> {
  const jobs = new Map<string, Job>()
  const jobOf = (ref: JobRef): Job => {
    const job = jobs.get(jobKey(ref)) ?? { ...ref }
    jobs.set(jobKey(ref), job)
    return job
  }
  for (const { call, isEnd } of moments) {
    if (!isEnd) {
      if (call.created !== undefined) jobOf(call.created).caller = call.caller
      continue
    }
    const { status, ended, responseText } = call
    if (status !== 200 || ended === 'aborted') continue
    const listed = call.operation?.endpoint.job?.lists
    const shown = call.polled ?? call.created
    if (shown !== undefined) {
      const job = jobOf(shown)
      const as = job.ended === undefined ? endShownBy(call, shown) : undefined
      if (as !== undefined) job.ended = { as, by: call }
    } else if (listed !== undefined) {
      for (const one of listOf(valueAt(jsonIn(responseText), ['data']))) {
        const [id, as] = [valueAt(one, ['id']), endOf(listed, valueAt(one, ['status']))]
        if (typeof id !== 'string' || as === undefined) continue
        jobOf({ kind: listed, id }).ended ??= { as, by: call }
      }
    }
  }
  return jobs
}

type End = NonNullable<Job['ended']>['as']

/** From the response, which a rule may have changed. */
function endShownBy(call: SessionCall, { kind, id }: JobRef): End | undefined {
  const text = call.responseText
  if (text === undefined) {
    const shown = call.entry.cause.transitions.find((one) => one.resource === kind.resource && one.id === id)
    return endOf(kind, shown?.to)
  }
  if (kind.readEnd === undefined) return endOf(kind, valueAt(jsonIn(text), ['status']))
  const end = kind.readEnd(text)
  return end && ends[end]
}

const ends = { succeeded: 'success', failed: 'failure' } as const

function endOf({ ended }: ScriptedKind, status: unknown): End | undefined {
  if (status === ended.succeeded) return 'success'
  return status === ended.failed ? 'failure' : undefined
}
