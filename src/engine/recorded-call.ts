/**
 * An entry of the journal over what a call was made of. References are taken over as they are; what has to be
 * worked out (redacted headers, ignored fields, streams with their times) is worked out when somebody reads.
 */

import type {
  CallRecord,
  EntryRefusal,
  JournalEntry,
  SentCall,
  SessionNaming,
  StreamedEvent,
  Violation,
} from './journal-entry.ts'
import { digest } from './random.ts'
import { redactHeaders, redactKey } from './redact.ts'
import type { ConsideredRules, RuleTrace } from './rule-trace.ts'
import type { Transition } from './transitions.ts'
import { truncate } from './truncate.ts'

const none: readonly never[] = []

/** An entry over the record of a call. `perBody` is how many characters of one body it keeps, 0 for none. */
export class RecordedCall implements JournalEntry {
  seq = -1
  readonly at: number
  readonly realAt: number | undefined
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  readonly path: string
  readonly status: number
  readonly request: string | undefined
  reply: string | undefined = undefined
  readonly rule: string | undefined
  readonly decidedBy: string | undefined
  readonly unmatched: boolean
  readonly transitions: readonly Transition[]
  readonly faults: readonly string[]
  readonly refusal: EntryRefusal | undefined
  readonly violations: readonly Violation[]
  readonly rulesAsked: boolean
  readonly bug: string | undefined
  ended: JournalEntry['ended'] = 'open'
  events = 0
  // Out of sight of whoever prints an entry: keys and cookies as they were sent.
  readonly #key: string | undefined
  readonly #headers: CallRecord['headers']
  readonly #knownFields: CallRecord['knownFields']
  readonly #events: CallRecord['events']
  readonly #delay: number | undefined
  readonly #prefix: string | undefined
  readonly #considered: ConsideredRules | undefined
  /** The names of the body's fields, where the kept text does not say them. */
  readonly #fields: readonly string[] | undefined
  /** Whether the body was longer than what is kept of it. */
  readonly #cut: boolean
  readonly #weight: number

  /** What the entry does not show. @internal */
  static sent(entry: JournalEntry): SentCall {
    return #key in entry
      ? { key: entry.#key, headers: entry.#headers ?? {}, cut: entry.#cut }
      : { key: entry.key, headers: entry.headers, cut: false }
  }

  constructor(record: CallRecord, perBody: number) {
    const { request } = record
    this.at = record.at
    this.realAt = record.realAt
    this.session = record.session
    this.requestId = record.requestId
    this.operation = record.operation
    this.method = record.method
    this.path = record.path
    this.status = record.status
    this.request =
      request === undefined || request.length <= perBody
        ? request
        : perBody === 0
          ? undefined
          : truncate(request, perBody)
    this.#cut = this.request !== request
    this.rule = record.rule
    this.decidedBy = record.decidedBy
    this.unmatched = record.unmatched ?? false
    this.transitions = record.transitions ?? none
    this.refusal = record.refusal
    this.violations = record.violations ?? none
    this.rulesAsked = record.rulesAsked ?? false
    this.bug = record.bug
    this.#key = record.key
    this.#headers = record.headers
    this.faults = record.faults?.map(({ kind }) => kind) ?? none
    this.#knownFields = record.knownFields
    this.#events = record.events === undefined ? undefined : firstEvents(record.events, perBody)
    this.#delay = record.delay
    this.#prefix = record.prefix
    this.#considered = record.considered
    this.#considered?.release(!this.#cut)
    this.#fields =
      Array.isArray(record.body) || (request !== undefined && request.length > perBody)
        ? namesIn(record.body)
        : undefined
    let weight = fixedWeight + this.path.length + (this.request?.length ?? 0)
    const headers = this.#headers
    // Counting costs less than copying: this happens for every call.
    for (const name in headers) weight += headers[name]?.length ?? 0
    if (this.#events !== undefined)
      for (const { data, raw } of this.#events) weight += (raw ?? data).length + eventWeight
    this.#weight = weight + (this.#considered?.held ?? 0) * considerationWeight
  }

  get considered(): readonly RuleTrace[] | undefined {
    return this.#considered?.traces(this.request)
  }

  get rulesTried(): number {
    return this.#considered?.tried ?? 0
  }

  get key(): string | undefined {
    return this.#key === undefined ? undefined : redactKey(this.#key)
  }

  get caller(): string | undefined {
    return this.#key === undefined ? undefined : digest(`caller ${this.#key}`).slice(0, 8)
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#headers === undefined ? {} : redactHeaders(this.#headers)
  }

  get ignored(): readonly string[] {
    const known = this.#knownFields?.()
    if (known === undefined) return none
    return (this.#fields ?? namesIn(parsed(this.request))).filter((name) => !known.has(name))
  }

  get stream(): readonly StreamedEvent[] {
    let offset = this.#delay ?? 0
    // What a cut or a client that left has kept from going out was never said.
    const sent =
      this.ended === 'cut' || this.ended === 'aborted' ? this.#events?.slice(0, this.events) : this.#events
    return (sent ?? none).map(({ after, event, data, raw }) => {
      offset += after
      return { offset, ...(event === undefined || raw !== undefined ? {} : { event }), data: raw ?? data }
    })
  }

  get namedBy(): SessionNaming {
    if (this.#prefix !== undefined) return 'prefix'
    if ((this.#headers?.['x-sim-session'] ?? '') !== '') return 'header'
    if (this.#key?.startsWith(`sk-sim-${this.session}-`) === true) return 'key'
    return this.session === 'default' ? 'default' : 'id'
  }

  /** Roughly how many bytes it holds. */
  get weight(): number {
    return this.#weight + (this.reply?.length ?? 0)
  }

  toJSON(): object {
    const { key, caller, headers, ignored, stream, namedBy } = this
    return { ...this, key, caller, headers, ignored, stream, namedBy }
  }
}

const fixedWeight = 600
const eventWeight = 50
const considerationWeight = 300

// Without what the edge renders into them, which holds on to files of clients.
function firstEvents<Event extends NonNullable<CallRecord['events']>[number]>(
  events: readonly Event[],
  most: number,
): readonly Event[] {
  let kept = 0
  let media = false
  for (const [index, { data, raw, media: rendered }] of events.entries()) {
    kept += (raw ?? data).length
    if (rendered !== undefined) media = true
    if (kept > most) return withoutMedia(events.slice(0, index), media)
  }
  return withoutMedia(events, media)
}

function withoutMedia<Event extends { readonly media?: unknown }>(
  events: readonly Event[],
  any: boolean,
): readonly Event[] {
  return any ? events.map(({ media: _, ...rest }) => rest as Event) : events
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

// A list says the names of a form: `image[]` and `image` are one field.
function namesIn(body: unknown): readonly string[] {
  if (Array.isArray(body)) return [...new Set(body.map((name) => String(name).replace(/\[.*$/s, '')))]
  return body !== null && typeof body === 'object' ? Object.keys(body) : none
}
