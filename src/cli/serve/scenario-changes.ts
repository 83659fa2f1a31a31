/** What differs between two sets of scenarios, in words for somebody who edits them while a server runs. */
import type { Composed } from '../../scenario/load/compose.ts'

export interface ScenarioChanges {
  /** What holds from now on: `rule a changed, rule b added`. */
  readonly now: readonly string[]
  /** What a running server keeps as it was. */
  readonly restart: readonly string[]
}

/** The names of rules that are told before the rest is counted. */
const maxNamed = 4

/** Compares what a server uses of scenarios; steps are nothing to it. */
export function changesBetween(before: Composed, after: Composed): ScenarioChanges {
  const old = new Map(before.rules.map((rule) => [rule.id, textOf(rule)]))
  const present = new Map(after.rules.map((rule) => [rule.id, textOf(rule)]))
  const ids = [...present.keys()]
  const now = [
    ...named(
      'changed',
      ids.filter((id) => old.has(id) && old.get(id) !== present.get(id)),
    ),
    ...named(
      'added',
      ids.filter((id) => !old.has(id)),
    ),
    ...named(
      'removed',
      [...old.keys()].filter((id) => !present.has(id)),
    ),
  ]
  const kept = (list: Iterable<string>, other: ReadonlyMap<string, string>): string =>
    [...list].filter((id) => other.has(id)).join('\n')
  if (kept(old.keys(), present) !== kept(ids, old)) now.push('rules in another order')
  if (textOf(before.states) !== textOf(after.states)) now.push('states begin otherwise')
  if (textOf(before.given) !== textOf(after.given))
    now.push('what is given changed (for new sessions, and after a reset)')
  const parts: readonly (readonly [string, (composed: Composed) => unknown])[] = [
    ['seed', ({ seed }) => seed],
    ['clock', ({ clock }) => clock],
    ['account.keys', ({ account }) => account.keys],
    ['account.models', ({ account }) => account.models],
    ['account.limits', ({ account }) => account.limits],
  ]
  return {
    now,
    restart: parts.flatMap(([name, part]) => (textOf(part(before)) === textOf(part(after)) ? [] : [name])),
  }
}

function named(what: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const shown = ids.slice(0, maxNamed).join(', ')
  const rest = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''
  return [`rule${ids.length === 1 ? '' : 's'} ${shown}${rest} ${what}`]
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
