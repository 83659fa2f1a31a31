/** Describes the differences between two sets of scenarios, for `serve --watch`. */
import type { Composed } from '../../scenario/load/compose.ts'

export interface ScenarioChanges {
  /** Changes in effect: `rule a changed`, `rule b added`. */
  readonly applied: readonly string[]
  /** Parts that only change with a restart. */
  readonly needRestart: readonly string[]
}

/** More rules than these are counted, not named. */
const maxNamed = 4

/** Compares everything but the steps, which a server does not use. */
export function changesBetween(before: Composed, after: Composed): ScenarioChanges {
  const oldRules = new Map(before.rules.map((rule) => [rule.id, serialize(rule)]))
  const newRules = new Map(after.rules.map((rule) => [rule.id, serialize(rule)]))
  const ids = [...newRules.keys()]
  const applied = [
    ...rulesThat(
      'changed',
      ids.filter((id) => oldRules.has(id) && oldRules.get(id) !== newRules.get(id)),
    ),
    ...rulesThat(
      'added',
      ids.filter((id) => !oldRules.has(id)),
    ),
    ...rulesThat(
      'removed',
      [...oldRules.keys()].filter((id) => !newRules.has(id)),
    ),
  ]
  const common = (list: Iterable<string>, other: ReadonlyMap<string, string>): string =>
    [...list].filter((id) => other.has(id)).join('\n')
  if (common(oldRules.keys(), newRules) !== common(ids, oldRules)) applied.push('rules reordered')
  if (serialize(before.states) !== serialize(after.states)) applied.push('initial states changed')
  if (serialize(before.given) !== serialize(after.given))
    applied.push('`given` changed (for new sessions, and after a reset)')
  const parts: readonly (readonly [string, (composed: Composed) => unknown])[] = [
    ['seed', ({ seed }) => seed],
    ['clock', ({ clock }) => clock],
    ['account.keys', ({ account }) => account.keys],
    ['account.models', ({ account }) => account.models],
    ['account.limits', ({ account }) => account.limits],
  ]
  return {
    applied,
    needRestart: parts.flatMap(([name, part]) =>
      serialize(part(before)) === serialize(part(after)) ? [] : [name],
    ),
  }
}

function rulesThat(change: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const shown = ids.slice(0, maxNamed).join(', ')
  const rest = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''
  return [`rule${ids.length === 1 ? '' : 's'} ${shown}${rest} ${change}`]
}

function serialize(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
