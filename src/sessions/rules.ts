/**
 * The rules of one session beside those of its simulator: faults that were armed come first, then scenarios
 * of its own.
 */
import { parseDuration } from '../engine/duration.ts'
import type { World } from '../engine/world.ts'
import type { ScenarioInput } from '../generated/scenario-input.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Rule, RuleBook } from '../scenario/compile/rules.ts'
import { createDirector, type Directing, type Director, forgetUsage } from '../scenario/director.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import { createScenarioSet, type ScenarioSet } from '../scenario/load/scenario-set.ts'

/** A fault, or any other answer of a rule, that stands in front of all rules. @internal */
export interface ArmedFault {
  readonly id: string
  /** As it was asked for. */
  readonly when: Readonly<Record<string, unknown>>
  readonly then: Readonly<Record<string, unknown>>
  /** How often it answers at most. */
  readonly count: number | undefined
  /** Virtual milliseconds since the epoch from which on it is over. */
  readonly until: number | undefined
}

/** What arms a fault. */
export interface FaultRequest {
  /** Its name; one of its own unless given. */
  readonly id?: string | undefined
  /** Which calls, as `when` of a scenario's rule; all when left out. */
  readonly when?: Readonly<Record<string, unknown>> | undefined
  /** One fault of the catalogue or several: a word, or `{ kind, … }`. */
  readonly fault?: unknown
  /** Any answer of a scenario's rule, in the place of `fault`. */
  readonly then?: Readonly<Record<string, unknown>> | undefined
  /** How often it answers; until it is cleared when left out. */
  readonly count?: number | undefined
  /** How long it stands, in virtual time: `30s`, or milliseconds. */
  readonly ttl?: string | number | undefined
}

/** @internal */
export interface SessionRules {
  /** Asked in the place of the simulator's; undefined while the session has no rules of its own. */
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

/** The most faults that may stand at once. */
const maxArmed = 1000

/**
 * The rules of a session that begins; `first` is what it was made with, `shared` are the simulator's rules;
 * `gone` hears of a scenario before it is taken away. @internal
 */
export function createSessionRules(
  first: ScenarioSet | undefined,
  shared: () => RuleBook | undefined,
  directing: Directing,
  reader: ScenarioReader,
  gone: (set: ScenarioSet) => void = () => {},
): SessionRules {
  const sets: ScenarioSet[] = first === undefined ? [] : [first]
  let armed: { readonly fault: ArmedFault; readonly book: RuleBook }[] = []
  let director: Director | undefined
  let named = 0

  const refresh = (): void => {
    if (armed.length === 0 && sets.length === 0) {
      director = undefined
      return
    }
    const common = shared()
    const book = layered([
      ...armed.map(({ book: own }) => own),
      ...sets.map(({ book: own }) => own),
      ...(common === undefined ? [] : [common]),
    ])
    if (director === undefined) director = createDirector(directing, book)
    else director.use(book)
  }
  const taken = (id: string): boolean =>
    armed.some(({ fault }) => fault.id === id) ||
    sets.some(({ book }) => book.ids.includes(id)) ||
    shared()?.ids.includes(id) === true
  const freeName = (): string => {
    for (;;) {
      const name = `armed-${++named}`
      if (!taken(name)) return name
    }
  }
  refresh()

  return {
    get director() {
      return director
    },
    get scenarios() {
      return sets
    },
    get armed() {
      return armed.map(({ fault }) => fault)
    },
    load(set) {
      const twice = set.book.ids.find(taken)
      if (twice !== undefined)
        throw new ApiError(
          'invalid_request_error',
          `There is a rule ${JSON.stringify(twice)} in this session already: give the rule another \`id\`, or remove the scenario that holds it first.`,
          { status: 409 },
        )
      sets.push(set)
      refresh()
    },
    unload(set) {
      const at = sets.indexOf(set)
      if (at < 0) return false
      gone(set)
      sets.splice(at, 1)
      refresh()
      return true
    },
    arm(request, world) {
      const now = world.clock.now()
      // What is over needs no place.
      armed = armed.filter(({ fault: { until } }) => until === undefined || until > now)
      if (armed.length >= maxArmed)
        throw new ApiError(
          'invalid_request_error',
          `${maxArmed} faults are armed: clear some before you arm more.`,
          { status: 409 },
        )
      const id = request.id ?? freeName()
      if (taken(id))
        throw new ApiError(
          'invalid_request_error',
          `\`id\`: there is a fault or a rule ${JSON.stringify(id)} in this session already: give this one another name.`,
          { param: 'id', status: 409 },
        )
      const { set, fault } = compileFault(request, id, now, reader)
      // Latest first: who arms a fault expects to meet it.
      armed = [{ fault, book: set.book }, ...armed]
      // A name that was used before counts anew.
      forgetUsage(world, id)
      refresh()
      return fault
    },
    disarm(id) {
      const before = armed.length
      armed = armed.filter(({ fault }) => fault.id !== id)
      refresh()
      return armed.length < before
    },
    clearFaults() {
      armed = []
      refresh()
    },
    refresh,
  }
}

function compileFault(
  { when = {}, fault, then, count, ttl }: FaultRequest,
  id: string,
  now: number,
  reader: ScenarioReader,
): { readonly set: ScenarioSet; readonly fault: ArmedFault } {
  if ((fault === undefined) === (then === undefined))
    throw new ApiError(
      'invalid_request_error',
      `Expected exactly one of \`fault\` and \`then\`, got ${fault === undefined ? 'neither' : 'both'}.`,
    )
  if (count !== undefined && when['times'] !== undefined)
    throw new ApiError('invalid_request_error', '`count` and `when.times` say the same: leave one out.', {
      param: 'count',
    })
  if (ttl !== undefined && when['during'] !== undefined)
    throw new ApiError('invalid_request_error', '`ttl` and `when.during` both say how long: leave one out.', {
      param: 'ttl',
    })
  const lasts = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttl !== undefined && lasts === undefined)
    throw new ApiError(
      'invalid_request_error',
      `\`ttl\`: expected a duration such as 30s, got ${JSON.stringify(ttl)}.`,
      { param: 'ttl' },
    )
  const until = lasts === undefined ? undefined : now + lasts
  if (until !== undefined && Number.isNaN(new Date(until).getTime()))
    throw new ApiError('invalid_request_error', '`ttl`: leads beyond the end of virtual time.', {
      param: 'ttl',
    })
  const answer = then ?? { fault }
  const written = {
    title: 'armed',
    rules: [
      {
        id,
        when: {
          ...when,
          ...(count === undefined ? {} : { times: count }),
          ...(until === undefined ? {} : { during: { until: new Date(until).toISOString() } }),
        },
        then: answer,
      },
    ],
  }
  const set = createScenarioSet([written as unknown as ScenarioInput], reader)
  return {
    set,
    fault: { id, when, then: answer, count: count ?? (when['times'] as number | undefined), until },
  }
}

/** Several books as one: the first one's rules are asked first. */
function layered(books: readonly RuleBook[]): RuleBook {
  const known = new Map<string, readonly Rule[] | undefined>()
  return {
    ids: books.flatMap(({ ids }) => ids),
    rules(operation) {
      if (!known.has(operation)) {
        const list = books.flatMap((book) => book.rules(operation) ?? [])
        known.set(operation, list.length === 0 ? undefined : list)
      }
      return known.get(operation)
    },
  }
}
