/** The rules of one session: overrides, then the scenarios of the session, then those of the simulator. */

import { defined, isFields } from '../engine/fields.ts'
import type { Fault, ScenarioInput, Then, When } from '../generated/scenario-types.ts'
import { isOperators } from '../scenario/compile/match-value.ts'
import type { RuleBook } from '../scenario/compile/rules.ts'
import { createDirector, type Director } from '../scenario/director.ts'
import { faultNamed } from '../scenario/faults/all.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'
import { wrongField, wrongRequest } from './session-errors.ts'
import type { SessionContext, SessionSpec } from './session-spec.ts'

/** The maximum number of overrides in a session. */
const maxOverrides = 1000

/** The rules of one session. @internal */
export class SessionRules {
  readonly #context: SessionContext
  readonly #inherits: boolean
  #sets: readonly ScenarioSet[]
  #overrides: { readonly override: Override; readonly book: RuleBook }[] = []
  /** Replaces the director of the simulator; undefined while the session has no own rules. */
  director: Director | undefined
  #lastNumber = 0

  constructor(context: SessionContext, { scenarios, inheritScenarios = true }: SessionSpec) {
    this.#context = context
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
    this.#sets = [...this.#sets, set]
    this.refresh()
  }

  remove(set: ScenarioSet): void {
    this.#sets = this.#sets.filter((one) => one !== set)
    this.refresh()
  }

  /** Throws `ScenarioError` for an invalid rule, `ApiError` for other errors. */
  addOverride(request: OverrideRequest): Override {
    if (this.#overrides.length >= maxOverrides)
      throw wrongRequest(`The session already has ${maxOverrides} overrides: remove an override first.`, {
        status: 409,
      })
    const number = this.#freeNumber()
    const { set, override } = compileOverride(request, `override-${number}`, this.#context.reader)
    this.#lastNumber = number
    // The latest override applies first.
    this.#overrides = [{ override, book: set.book }, ...this.#overrides]
    this.refresh()
    return override
  }

  removeOverrides(ids: readonly string[]): void {
    this.#overrides = this.#overrides.filter(({ override }) => !ids.includes(override.id))
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

  /** The number of the next override, whose id no rule has. */
  #freeNumber(): number {
    let number = this.#lastNumber + 1
    while (this.#isTaken(`override-${number}`)) number++
    return number
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
}

/** An override to add. */
export interface OverrideRequest {
  /**
   * Selects requests, as `when` of a scenario rule. Default: all; for a stream fault, all that stream.
   */
  readonly when?: When | undefined
  /** A fault or a list of faults, each a name or `{ kind, … }`. */
  readonly fault?: Fault | readonly Fault[] | undefined
  /** Any response of a scenario rule (`then`), instead of `fault`. */
  readonly then?: Then | undefined
  /** How many requests it answers. Default: no limit. */
  readonly times?: number | undefined
}

/**
 * The override of a request. Throws `ApiError` (400) for contradictory fields, `ScenarioError` for an invalid
 * rule. @internal
 */
function compileOverride(
  { when = {}, fault, then, times }: OverrideRequest,
  id: string,
  reader: ScenarioReader,
): { readonly set: ScenarioSet; readonly override: Override } {
  if ((fault === undefined) === (then === undefined))
    throw wrongRequest(
      `Expected exactly one of \`fault\` and \`then\`, got ${fault === undefined ? 'neither' : 'both'}.`,
    )
  if (times !== undefined && when.times !== undefined)
    throw wrongRequest('`times` and `when.times` mean the same thing: remove one.', { param: 'times' })
  const answer = then ?? { fault }
  const conditions = withStreamCondition(when, answer)
  const rule = { id, when: { ...conditions, ...defined({ times }) }, then: answer }
  const written = { title: 'override', rules: [rule] }
  const set = createScenarioSet([written as unknown as ScenarioInput], reader)
  return {
    set,
    override: { id, when: { ...conditions }, then: { ...answer }, times: times ?? when.times },
  }
}

/** Stream faults wait for a stream: without this condition, another request would use them up. */
function withStreamCondition(when: When, { fault, ...rest }: { readonly fault?: unknown }): When {
  const body: unknown = when.body ?? {}
  if (Object.keys(rest).length > 0 || isOperators(body) || !isFields(body) || 'stream' in body) return when
  const isOfStream = [fault].flat().every((one) => {
    const kind = isFields(one) ? one['kind'] : one
    return typeof kind === 'string' && faultNamed(kind)?.part === 'stream'
  })
  return isOfStream ? { ...when, body: { ...body, stream: true } } : when
}
