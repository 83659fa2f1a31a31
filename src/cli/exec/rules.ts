/**
 * Which rules have answered in a run, in whatever session: those of `--scenario`, those that sessions were
 * made with, and those that were loaded into them, also where session or scenario are gone before the end.
 */

import type { SimulatorCore } from '../../core/simulator.ts'
import type { World } from '../../engine/world.ts'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { unusedRules } from '../../verify/unused-rules.ts'

export interface RuleCount {
  /** How many rules there were. */
  readonly count: number
  /** Those that answered in no session, in words. */
  readonly unused: readonly string[]
}

/** What is known of one rule; that of a scenario which several sessions have is one. */
interface KnownRule {
  readonly id: string
  /**
   * The title of its scenario, and the first session that had it; undefined for a rule that every session
   * has.
   */
  readonly own: { readonly title: string; readonly session: string } | undefined
  /** Whether other sessions had it as well. */
  shared: boolean
  used: boolean
}

/** How many different rules of sessions are counted. */
const maxRules = 10_000

/**
 * Follows the rules of a simulator from now on. The function that is returned says what there is until then.
 */
export function followRules({
  sessions,
  script,
  onRulesGone,
}: Pick<SimulatorCore, 'sessions' | 'script' | 'onRulesGone'>): () => RuleCount {
  const known = new Map<string, KnownRule>()
  const look = (set: ScenarioSet, world: World | undefined, everywhere: boolean): void => {
    const silent = new Set(unusedRules(set.composed.rules, world === undefined ? [] : [world]))
    let at = 0
    for (const {
      written: { title, rules = [] },
    } of set.scenarios) {
      for (const id of set.book.ids.slice(at, (at += rules.length))) {
        const key = everywhere ? id : `${id}\n${title}`
        let rule = known.get(key)
        if (rule === undefined) {
          if (!everywhere && known.size >= maxRules) continue
          rule = {
            id,
            own: world === undefined || everywhere ? undefined : { title, session: world.name },
            shared: false,
            used: false,
          }
          known.set(key, rule)
        }
        if (!silent.has(id)) rule.used = true
        if (rule.own?.session !== world?.name) rule.shared = true
      }
    }
  }
  const lookAt = (own: readonly ScenarioSet[], world: World): void => {
    if (shared !== undefined) look(shared, world, true)
    for (const set of own) look(set, world, false)
  }
  // They are there also when nobody calls.
  const shared = script()
  if (shared !== undefined) look(shared, undefined, true)
  onRulesGone(lookAt)
  return () => {
    for (const { world, rules } of sessions.all()) lookAt(rules.scenarios, world)
    const rules = [...known.values()]
    return { count: rules.length, unused: rules.filter(({ used }) => !used).map(inWords) }
  }
}

function inWords({ id, own, shared }: KnownRule): string {
  if (own === undefined) return id
  return `${id} (of ${JSON.stringify(own.title)}, ${shared ? 'in several sessions' : `in session ${own.session}`})`
}
