/**
 * Which rules answered during a run, in any session: rules of `--scenario` and rules of a session's own
 * scenarios, including sessions and scenarios that are gone before the end.
 */
import type { SimulatorCore } from '../../core/simulator.ts'
import type { World } from '../../engine/world.ts'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { unusedRules } from '../../verify/unused-rules.ts'

export interface RuleCount {
  /** The number of rules. */
  readonly count: number
  /** Rules that answered in no session, as text. */
  readonly unused: readonly string[]
}

/** A rule; rules of the same scenario in several sessions are one. */
interface KnownRule {
  readonly id: string
  /** The title of its scenario and the first session with it; undefined for rules of every session. */
  readonly own: { readonly title: string; readonly session: string } | undefined
  /** Whether several sessions had it. */
  shared: boolean
  used: boolean
}

const maxRules = 10_000

/** Follows the rules of a simulator from now on. The returned function counts them. */
export function followRules({
  sessions,
  script,
  onRulesGone,
}: Pick<SimulatorCore, 'sessions' | 'script' | 'onRulesGone'>): () => RuleCount {
  const known = new Map<string, KnownRule>()
  const update = (set: ScenarioSet, world: World | undefined, everywhere: boolean): void => {
    const unused = new Set(unusedRules(set.composed.rules, world === undefined ? [] : [world]))
    let at = 0
    for (const {
      spec: { title, rules = [] },
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
        if (!unused.has(id)) rule.used = true
        if (rule.own?.session !== world?.name) rule.shared = true
      }
    }
  }
  const updateSession = (own: readonly ScenarioSet[], world: World): void => {
    if (shared !== undefined) update(shared, world, true)
    for (const set of own) update(set, world, false)
  }
  // They count even if nothing is called.
  const shared = script()
  if (shared !== undefined) update(shared, undefined, true)
  onRulesGone(updateSession)
  return () => {
    for (const { world, rules } of sessions.all()) updateSession(rules.scenarios, world)
    const rules = [...known.values()]
    return { count: rules.length, unused: rules.filter(({ used }) => !used).map(describeRule) }
  }
}

function describeRule({ id, own, shared }: KnownRule): string {
  if (own === undefined) return id
  const where = shared ? 'in several sessions' : `in session ${own.session}`
  return `${id} (of ${JSON.stringify(own.title)}, ${where})`
}
