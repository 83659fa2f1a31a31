/** The scenarios of a simulator: those in use, which may be replaced, and who hears of those that go. */
import type { World } from '../engine/world.ts'
import { ApiError } from '../protocol/errors.ts'
import { createDirector, type Directing, type Director } from '../scenario/director.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import { warnOfIgnoredWords } from '../scenario/reserved/warn-unused.ts'

/** Hears of scenarios and of the world they acted in, before the one or the other is given up. */
export type RulesListener = (own: readonly ScenarioSet[], world: World) => void

export interface Scripts {
  readonly current: ScenarioSet | undefined
  readonly director: Director
  readonly directing: Directing
  use(set: ScenarioSet | undefined): void
  onRulesGone(listener: RulesListener): void
  readonly rulesGone: RulesListener
  /** Throws when a session's own scenarios repeat a rule of these: rules are counted by their ids. */
  refuseTwice(own: ScenarioSet | undefined): void
}

export function createScripts(
  first: ScenarioSet | undefined,
  warn: (message: string) => void,
  warnOnce: (message: string) => void,
  warningDropped: () => void,
): Scripts {
  const directing: Directing = {
    ignored: warnOfIgnoredWords(warn, warningDropped),
    wrong: warnOnce,
    evaluated: 0,
  }
  const director = createDirector(directing, first === undefined ? [] : [first.book])
  const listeners = new Set<RulesListener>()
  let current = first
  return {
    get current() {
      return current
    },
    director,
    directing,
    use(set) {
      current = set
      director.use(set === undefined ? [] : [set.book])
    },
    onRulesGone: (listener) => void listeners.add(listener),
    rulesGone(own, world) {
      for (const listener of listeners) listener(own, world)
    },
    refuseTwice(own) {
      const twice = own?.book.ids.find((id) => current?.book.has(id))
      if (twice === undefined) return
      throw new ApiError(
        'invalid_request_error',
        `\`scenarios\`: the simulator has a rule ${JSON.stringify(twice)} already, and so has every ` +
          'session: give the rule another `id`.',
        { param: 'scenarios', status: 409 },
      )
    },
  }
}
