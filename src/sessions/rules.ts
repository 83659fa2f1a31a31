/** The rules of one session: armed faults first, then its own scenarios, then those of the simulator. */

import { endOfTime, parseDuration } from '../engine/duration.ts'
import { defined } from '../engine/fields.ts'
import type { World } from '../engine/world.ts'
import type { Fault, ScenarioInput, Then, When } from '../generated/scenario-types.ts'
import { joinBooks, type RuleBook } from '../scenario/compile/rules.ts'
import { createDirector, type Directing, type Director, forgetUsage } from '../scenario/director.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'
import { wrongField, wrongRequest } from './session-errors.ts'

/** How many faults may be armed at once. */
const maxArmed = 1000

/** What the rules of a session are made from. @internal */
export interface SessionRulesParts {
  /** The scenarios that it was made with. */
  readonly first: ScenarioSet | undefined
  readonly directing: Directing
  readonly reader: ScenarioReader
  /** The simulator's rules. */
  shared(): RuleBook | undefined
  /** Hears of a scenario before it is taken away. */
  gone(set: ScenarioSet): void
}

/** The rules of one session. @internal */
export class SessionRules {
  readonly #parts: SessionRulesParts
  readonly #sets: ScenarioSet[]
  #armed: { readonly fault: ArmedFault; readonly book: RuleBook }[] = []
  /** Asked instead of the simulator's; undefined while the session has no rules of its own. */
  director: Director | undefined
  #named = 0

  constructor(parts: SessionRulesParts) {
    this.#parts = parts
    this.#sets = parts.first === undefined ? [] : [parts.first]
    this.refresh()
  }

  /** What the session was made with, then what was loaded into it. */
  get scenarios(): readonly ScenarioSet[] {
    return this.#sets
  }

  get armed(): readonly ArmedFault[] {
    return this.#armed.map(({ fault }) => fault)
  }

  /** Throws `ApiError` (409) when a rule of that id is there already. */
  load(set: ScenarioSet): void {
    const twice = set.book.ids.find((id) => this.#isTaken(id))
    if (twice !== undefined)
      throw wrongRequest(
        `This session already has a rule ${JSON.stringify(twice)}: give the rule another \`id\`, ` +
          'or remove the scenario that holds it first.',
        { status: 409 },
      )
    this.#sets.push(set)
    this.refresh()
  }

  /** True when it was there. */
  unload(set: ScenarioSet): boolean {
    const at = this.#sets.indexOf(set)
    if (at < 0) return false
    this.#parts.gone(set)
    this.#sets.splice(at, 1)
    this.refresh()
    return true
  }

  /** Throws `ScenarioError` for what a rule may not say, `ApiError` for the rest. */
  arm(request: FaultRequest, world: World): ArmedFault {
    const now = world.clock.now()
    // What has expired needs no place.
    this.#armed = this.#armed.filter(({ fault: { until } }) => until === undefined || until > now)
    if (this.#armed.length >= maxArmed)
      throw wrongRequest(`${maxArmed} faults are armed: clear some before you arm more.`, { status: 409 })
    const id = request.id ?? this.#freeName()
    if (this.#isTaken(id))
      throw wrongField(
        'id',
        `this session already has a fault or rule ${JSON.stringify(id)}: choose another name.`,
        { status: 409 },
      )
    const { set, fault } = compileFault(request, id, now, this.#parts.reader)
    // Latest first: who arms a fault expects to meet it.
    this.#armed = [{ fault, book: set.book }, ...this.#armed]
    // A name that was used before counts anew.
    forgetUsage(world, id)
    this.refresh()
    return fault
  }

  /** True when it was there. */
  disarm(id: string): boolean {
    const before = this.#armed.length
    this.#armed = this.#armed.filter(({ fault }) => fault.id !== id)
    this.refresh()
    return this.#armed.length < before
  }

  clearFaults(): void {
    this.#armed = []
    this.refresh()
  }

  /** Follows a change of the rules, its own or the simulator's. */
  refresh(): void {
    if (this.#armed.length === 0 && this.#sets.length === 0) {
      this.director = undefined
      return
    }
    const common = this.#parts.shared()
    // Book after book, so that nothing is made anew of those that stay; only what is armed changes often.
    const books = [
      ...(this.#armed.length === 0 ? [] : [joinBooks(this.#armed.map(({ book }) => book))]),
      ...this.#sets.map(({ book }) => book),
      ...(common === undefined ? [] : [common]),
    ]
    if (this.director === undefined) this.director = createDirector(this.#parts.directing, books)
    else this.director.use(books)
  }

  #isTaken(id: string): boolean {
    return (
      this.#armed.some(({ fault }) => fault.id === id) ||
      this.#sets.some(({ book }) => book.has(id)) ||
      this.#parts.shared()?.has(id) === true
    )
  }

  #freeName(): string {
    for (;;) {
      const name = `armed-${++this.#named}`
      if (!this.#isTaken(name)) return name
    }
  }
}

/** A fault, or any other answer of a rule, that comes before all rules. @internal */
export interface ArmedFault {
  readonly id: string
  /** As it was asked for. */
  readonly when: Readonly<Record<string, unknown>>
  readonly then: Readonly<Record<string, unknown>>
  /** How many calls it answers at most. */
  readonly count: number | undefined
  /** When it expires, in virtual milliseconds since the epoch. */
  readonly until: number | undefined
}

/** A fault to arm. */
export interface FaultRequest {
  /** The name of the fault. Default: a generated one. */
  readonly id?: string | undefined
  /** The calls it applies to, as in `when` of a scenario rule. Default: all. */
  readonly when?: When | undefined
  /** One or several faults of the catalogue, each as a word or as `{ kind, … }`. */
  readonly fault?: Fault | readonly Fault[] | undefined
  /** Any answer of a scenario rule (`then`), instead of `fault`. */
  readonly then?: Then | undefined
  /** How many calls it answers. Default: all until it is cleared. */
  readonly count?: number | undefined
  /** How long it stays armed, in virtual time: `30s`, or milliseconds. */
  readonly ttl?: string | number | undefined
}

/**
 * The fault of a request. Throws `ApiError` (400) for a contradictory one, `ScenarioError` for what no
 * rule may say. @internal
 */
function compileFault(
  { when = {}, fault, then, count, ttl }: FaultRequest,
  id: string,
  now: number,
  reader: ScenarioReader,
): { readonly set: ScenarioSet; readonly fault: ArmedFault } {
  if ((fault === undefined) === (then === undefined))
    throw wrongRequest(
      `Expected exactly one of \`fault\` and \`then\`, got ${fault === undefined ? 'neither' : 'both'}.`,
    )
  if (count !== undefined && when.times !== undefined)
    throw wrongRequest('`count` and `when.times` mean the same: leave one out.', { param: 'count' })
  if (ttl !== undefined && when.during !== undefined)
    throw wrongRequest('`ttl` and `when.during` both limit the time: leave one out.', { param: 'ttl' })
  const lasts = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttl !== undefined && lasts === undefined)
    throw wrongField('ttl', `expected a duration such as 30s, got ${JSON.stringify(ttl)}.`)
  const until = lasts === undefined ? undefined : now + lasts
  if (until !== undefined && until > endOfTime)
    throw wrongField('ttl', 'expected a time before the end of virtual time.')
  const answer = then ?? { fault }
  const during = until === undefined ? undefined : { until: new Date(until).toISOString() }
  const rule = { id, when: { ...when, ...defined({ times: count, during }) }, then: answer }
  const written = { title: 'armed', rules: [rule] }
  const set = createScenarioSet([written as unknown as ScenarioInput], reader)
  return {
    set,
    fault: { id, when: { ...when }, then: { ...answer }, count: count ?? when.times, until },
  }
}
