/** Describes the settings of a scenario: seed, clock, account, given resources, states. */
import { formatDuration } from '../engine/duration.ts'
import type { GivenResourceSpec } from '../scenario/format/given.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { Explanation } from './explanation.ts'
import { formatValue, joinWords } from './phrases.ts'

export function scenarioFacts({
  seed,
  clock = {},
  account = {},
  given = {},
  states = {},
}: ScenarioSpec): Explanation['facts'] {
  const facts: { about: string; words: string }[] = []
  const add = (about: string, words: readonly string[]): void => {
    if (words.length > 0) facts.push({ about, words: words.join(', ') })
  }
  add('seed', seed === undefined ? [] : [seed])
  add('clock', [
    ...(clock.mode === undefined ? [] : [clock.mode]),
    ...(clock.start === undefined ? [] : [`from ${clock.start}`]),
    ...(clock.speed === undefined ? [] : [`${clock.speed} times as fast`]),
  ])
  add(
    'keys',
    Object.entries(account.keys ?? {}).map(
      ([key, { models }]) =>
        `${key} (${Array.isArray(models) ? joinWords(models as string[]) : 'every model'})`,
    ),
  )
  add(
    'models',
    Object.entries(account.models ?? {}).map(
      ([group, models]) =>
        `${group}: ${Array.isArray(models) ? joinWords(models as string[]) : formatValue(models)}`,
    ),
  )
  add(
    'limits',
    Object.entries(account.limits ?? {}).map(([limit, value]) => `${limit} ${formatValue(value)}`),
  )
  for (const [kind, things = []] of Object.entries(given)) {
    add(
      kind,
      (things as readonly GivenResourceSpec[]).map(({ id, path, key, status, age, timeline }) => {
        const about = [
          ...(status === undefined ? [] : [String(status)]),
          ...(key === undefined ? [] : [`of ${String(key)}`]),
          ...(age === undefined ? [] : [`${formatDuration(age)} old`]),
          ...(timeline === undefined ? [] : ['with a timeline of its own']),
        ]
        return `${String(id ?? path ?? 'one')}${about.length === 0 ? '' : ` (${about.join(', ')})`}`
      }),
    )
  }
  add(
    'states',
    Object.entries(states).map(([name, value]) => `${name} is ${formatValue(value)}`),
  )
  return facts
}
