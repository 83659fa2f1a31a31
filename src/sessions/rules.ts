/** The rules of one session: overrides, then the scenarios of the session, then those of the simulator. */

import { longestDuration, parseDuration, tooLong } from '../engine/duration.ts'
import { defined, isFields } from '../engine/fields.ts'
import type { JournaledSandbox } from '../exchange/journal.ts'
import type { Fault, ScenarioInput, Then, When } from '../generated/scenario-types.ts'
import { canStream, type Vocabulary } from '../protocol/operations.ts'
import { isOperators } from '../scenario/compile/match-value.ts'
import type { RuleBook } from '../scenario/compile/rules.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import { createDirector, type Director, forgetUsage } from '../scenario/director.ts'
import { faultNamed } from '../scenario/faults/all.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'
import { wrongField, wrongRequest } from './session-errors.ts'
import type { SessionContext, SessionSpec } from './session-spec.ts'

/** The maximum number of overrides in a session. */
const maxOverrides = 1000

const namePrefix = 'override-'

/** The rules of one session. @internal */
export class SessionRules {
  readonly #context: SessionContext
  readonly #sandbox: JournaledSandbox
  readonly #inherits: boolean
  readonly #sets: ScenarioSet[]
  #overrides: { readonly override: Override; readonly book: RuleBook }[] = []
  /** Replaces the director of the simulator; undefined while the session has no own rules. */
  director: Director | undefined
  #named = 0

  constructor(
    context: SessionContext,
    { scenarios, inheritScenarios = true }: SessionSpec,
    sandbox: JournaledSandbox,
  ) {
    this.#context = context
    this.#sandbox = sandbox
    this.#inherits = inheritScenarios
    this.#sets = scenarios === undefined ? [] : [scenarios]
    this.refresh()
  }

  /** The scenarios of the session's options, then those added later. */
  get scenarios(): readonly ScenarioSet[] {
    return this.#sets
  }

  /** The scenarios of the simulator that apply to this session. */
  get shared(): ScenarioSet | undefined {
    return this.#inherits ? this.#context.script() : undefined
  }

  /** In evaluation order. */
  get overrides(): readonly Override[] {
    return this.#overrides.map(({ override }) => override)
  }

  /** Throws `ApiError` (409) if a rule with the same id exists. */
  add(set: ScenarioSet): void {
    const twice = set.book.ids.find((id) => this.#isTaken(id))
    if (twice !== undefined)
      throw wrongRequest(
        `This session already has a rule ${JSON.stringify(twice)}: use another \`id\`, first remove the ` +
          'other rule, or create the session with `inheritScenarios: false`.',
        { status: 409 },
      )
    this.#sets.push(set)
    this.refresh()
  }

  /** Whether it existed. */
  remove(set: ScenarioSet): boolean {
    const at = this.#sets.indexOf(set)
    if (at < 0) return false
    this.#sets.splice(at, 1)
    this.refresh()
    return true
  }

  /** Throws `ScenarioError` for an invalid rule, `ApiError` for other errors. */
  addOverride(request: OverrideRequest): Override {
    const now = this.#sandbox.clock.now()
    // Expired overrides do not count against the limit.
    this.#overrides = this.#overrides.filter(
      ({ override: { expires } }) => expires === undefined || expires > now,
    )
    if (this.#overrides.length >= maxOverrides)
      throw wrongRequest(`The session already has ${maxOverrides} overrides: remove an override first.`, {
        status: 409,
      })
    const id = request.id ?? this.#freeName()
    if (this.#isTaken(id))
      throw wrongField(
        'id',
        `this session already has an override or a rule ${JSON.stringify(id)}: choose another id.`,
        { status: 409 },
      )
    const { set, override } = compileOverride(
      request,
      id,
      { now, startedAt: this.#sandbox.startedAt },
      this.#context.reader,
    )
    if (request.id === undefined) this.#named = Number(id.slice(namePrefix.length))
    // The latest override applies first.
    this.#overrides = [{ override, book: set.book }, ...this.#overrides]
    // The counts of an earlier override with this id do not apply.
    forgetUsage(this.#sandbox, id)
    this.refresh()
    return override
  }

  /** Whether it existed. */
  removeOverride(id: string): boolean {
    const before = this.#overrides.length
    this.#overrides = this.#overrides.filter(({ override }) => override.id !== id)
    this.refresh()
    return this.#overrides.length < before
  }

  clearOverrides(): void {
    this.#overrides = []
    this.refresh()
  }

  /** Applies a change to the rules of the session or of the simulator. */
  refresh(): void {
    if (this.#inherits && this.#overrides.length === 0 && this.#sets.length === 0) {
      this.director = undefined
      return
    }
    const common = this.shared?.book
    // Separate books: unchanged ones are reused; only overrides change often.
    const books = [
      ...this.#overrides.map(({ book }) => ({ ...book, areOverrides: true })),
      ...this.#sets.map(({ book }) => book),
      ...(common === undefined ? [] : [common]),
    ]
    if (this.director === undefined) this.director = createDirector(this.#context.directing, books)
    else this.director.use(books)
  }

  #isTaken(id: string): boolean {
    return (
      this.#overrides.some(({ override }) => override.id === id) ||
      this.#sets.some(({ book }) => book.has(id)) ||
      this.shared?.book.has(id) === true
    )
  }

  #freeName(): string {
    for (let number = this.#named + 1; ; number++) {
      const name = `${namePrefix}${number}`
      if (!this.#isTaken(name)) return name
    }
  }
}

/** Throws 409 if a session's own scenarios repeat a rule id, because rules are counted by id. @internal */
export function rejectTwice(
  { scenarios, inheritScenarios = true }: SessionSpec,
  shared: ScenarioSet | undefined,
): void {
  const twice = scenarios?.book.ids.find((id) => inheritScenarios && shared?.book.has(id))
  if (twice !== undefined)
    throw wrongField(
      'scenarios',
      `the simulator already has a rule ${JSON.stringify(twice)}, which applies to every session: choose ` +
        'another `id`, or create the session with `inheritScenarios: false`.',
      { status: 409 },
    )
}

/** A fault or a response that applies before all rules. @internal */
export interface Override {
  readonly id: string
  /** As requested. */
  readonly when: Readonly<Record<string, unknown>>
  readonly then: Readonly<Record<string, unknown>>
  /** The maximum number of requests it answers. */
  readonly times: number | undefined
  /** The end of its `ttl`, in virtual milliseconds since the epoch. */
  readonly expires: number | undefined
}

/** An override to add. */
export interface OverrideRequest {
  /** The id, which responses and the journal name as the rule. Default: `override-1`, `override-2`, … */
  readonly id?: string | undefined
  /**
   * Selects requests, as `when` of a scenario rule. Default: all; for a stream fault, all that stream;
   * for `malformed-json`, all others.
   */
  readonly when?: When | undefined
  /** A fault or a list of faults, each a name or `{ kind, … }`. */
  readonly fault?: Fault | readonly Fault[] | undefined
  /** Any response of a scenario rule (`then`), instead of `fault`. */
  readonly then?: Then | undefined
  /** How many requests it answers. Default: no limit. */
  readonly times?: number | undefined
  /** When it expires, in virtual time: `30s`, or milliseconds. Default: never. */
  readonly ttl?: string | number | undefined
}

/**
 * The override of a request. Throws `ApiError` (400) for contradictory fields, `ScenarioError` for an invalid
 * rule. @internal
 */
function compileOverride(
  { when = {}, fault, then, times, ttl }: OverrideRequest,
  id: string,
  { now, startedAt }: { readonly now: number; readonly startedAt: number },
  reader: ScenarioReader,
): { readonly set: ScenarioSet; readonly override: Override } {
  if ((fault === undefined) === (then === undefined))
    throw wrongRequest(
      `Expected exactly one of \`fault\` and \`then\`, got ${fault === undefined ? 'neither' : 'both'}.`,
    )
  if (times !== undefined && when.times !== undefined)
    throw wrongRequest('`times` and `when.times` mean the same thing: remove one.', { param: 'times' })
  if (ttl !== undefined && when.during !== undefined)
    throw wrongRequest('`ttl` and `when.during` both limit the period: remove one.', { param: 'ttl' })
  const lasts = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttl !== undefined && lasts === undefined)
    throw wrongField('ttl', `expected a duration such as 30s, got ${JSON.stringify(ttl)}.`)
  const expires = lasts === undefined ? undefined : now + lasts
  if (lasts !== undefined && lasts > longestDuration) throw wrongField('ttl', `${tooLong}.`)
  const answer = then ?? { fault }
  const asked = askingForDelivery(when, answer, reader.vocabulary)
  const during = expires === undefined ? undefined : { until: expires - startedAt }
  const rule = { id, when: { ...asked, ...defined({ times, during }) }, then: answer }
  const written = { title: 'override', rules: [rule] }
  const set = createScenarioSet([written as unknown as ScenarioInput], reader)
  return {
    set,
    override: { id, when: { ...asked }, then: { ...answer }, times: times ?? when.times, expires },
  }
}

/** The scenario reader rejects other values; `String` fails for an object with a wrong `toString`. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Faults that act only on streams, or only on JSON, wait for such a response: without this condition, another
 * request would use them up.
 */
function askingForDelivery(
  when: When,
  { fault, ...rest }: { readonly fault?: unknown },
  { all }: Vocabulary,
): When {
  const faults = [fault].flat().map((one) => faultNamed(textIn(isFields(one) ? one['kind'] : one)))
  const body: unknown = when.body ?? {}
  if (Object.keys(rest).length > 0 || faults.length === 0) return when
  if (isOperators(body) || !isFields(body) || 'stream' in body) return when
  if (faults.every((one) => one?.part === 'stream')) return { ...when, body: { ...body, stream: true } }
  const patterns = [when.operation ?? '*'].flat().map(textIn)
  const streams = all.some(
    (one) => canStream(one) && patterns.some((pattern) => matchesOperation(pattern, one.endpoint.operation)),
  )
  if (!streams || faults.some((one) => one?.onlyJson === undefined)) return when
  // A request without a body has a JSON response, too.
  const noStream = when.body === undefined ? { not: { stream: true } } : { ...body, stream: { not: true } }
  return { ...when, body: noStream as When['body'] }
}
