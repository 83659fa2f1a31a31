/**
 * The rules of one session beside those of its simulator: faults that were armed come first, then scenarios
 * of its own.
 */
import type { World } from '../engine/world.ts'
import { ApiError } from '../protocol/errors.ts'
import { joinBooks, type RuleBook } from '../scenario/compile/rules.ts'
import { createDirector, type Directing, type Director, forgetUsage } from '../scenario/director.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import { type ArmedFault, compileFault, type FaultRequest } from './armed-fault.ts'

/** @internal */
export interface SessionRules {
  /** Asked instead of the simulator's; undefined while the session has no rules of its own. */
  readonly director: Director | undefined
  /** What the session was made with, then what was loaded into it. */
  readonly scenarios: readonly ScenarioSet[]
  readonly armed: readonly ArmedFault[]
  /** Throws `ApiError` (409) when a rule of that id is there already. */
  load(set: ScenarioSet): void
  /** True when it was there. */
  unload(set: ScenarioSet): boolean
  /** Throws `ScenarioError` for what a rule may not say, `ApiError` for the rest. */
  arm(request: FaultRequest, world: World): ArmedFault
  /** True when it was there. */
  disarm(id: string): boolean
  clearFaults(): void
  /** The simulator's own rules have changed. */
  refresh(): void
}

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

/** The rules of a session that begins. @internal */
export function createSessionRules(parts: SessionRulesParts): SessionRules {
  return new LayeredRules(parts)
}

class LayeredRules implements SessionRules {
  readonly #parts: SessionRulesParts
  readonly #sets: ScenarioSet[]
  #armed: { readonly fault: ArmedFault; readonly book: RuleBook }[] = []
  director: Director | undefined
  #named = 0

  constructor(parts: SessionRulesParts) {
    this.#parts = parts
    this.#sets = parts.first === undefined ? [] : [parts.first]
    this.refresh()
  }

  get scenarios(): readonly ScenarioSet[] {
    return this.#sets
  }

  get armed(): readonly ArmedFault[] {
    return this.#armed.map(({ fault }) => fault)
  }

  load(set: ScenarioSet): void {
    const twice = set.book.ids.find((id) => this.#isTaken(id))
    if (twice !== undefined)
      throw new ApiError(
        'invalid_request_error',
        [
          `This session already has a rule ${JSON.stringify(twice)}: give the rule another \`id\`,`,
          'or remove the scenario that holds it first.',
        ].join(' '),
        { status: 409 },
      )
    this.#sets.push(set)
    this.refresh()
  }

  unload(set: ScenarioSet): boolean {
    const at = this.#sets.indexOf(set)
    if (at < 0) return false
    this.#parts.gone(set)
    this.#sets.splice(at, 1)
    this.refresh()
    return true
  }

  arm(request: FaultRequest, world: World): ArmedFault {
    const now = world.clock.now()
    // What has expired needs no place.
    this.#armed = this.#armed.filter(({ fault: { until } }) => until === undefined || until > now)
    if (this.#armed.length >= maxArmed)
      throw new ApiError(
        'invalid_request_error',
        `${maxArmed} faults are armed: clear some before you arm more.`,
        { status: 409 },
      )
    const id = request.id ?? this.#freeName()
    if (this.#isTaken(id))
      throw new ApiError(
        'invalid_request_error',
        [
          `\`id\`: this session already has a fault or rule ${JSON.stringify(id)}:`,
          'choose another name.',
        ].join(' '),
        { param: 'id', status: 409 },
      )
    const { set, fault } = compileFault(request, id, now, this.#parts.reader)
    // Latest first: who arms a fault expects to meet it.
    this.#armed = [{ fault, book: set.book }, ...this.#armed]
    // A name that was used before counts anew.
    forgetUsage(world, id)
    this.refresh()
    return fault
  }

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
