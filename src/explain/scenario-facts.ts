/** What holds for all of a scenario, in words: chance, clock, account, what exists, named states. */
import { formatDuration } from '../engine/duration.ts'
import type { GivenResourceSpec } from '../scenario/format/given.ts'
import type { ScenarioSpec } from '../scenario/format/scenario.ts'
import type { Explanation } from './explanation.ts'
import { joinWords, formatValue } from './phrases.ts'

export function scenarioFacts({
  seed,
  clock = {},
  account = {},
  given = {},
  states = {},
}: ScenarioSpec): Explanation['facts'] {
  const facts: { about: string; words: string }[] = []
  const tell = (about: string, words: readonly string[]): void => {
    if (words.length > 0) facts.push({ about, words: words.join(', ') })
  }
  tell('seed', seed === undefined ? [] : [seed])
  tell('clock', [
    ...(clock.mode === undefined ? [] : [clock.mode]),
    ...(clock.start === undefined ? [] : [`from ${clock.start}`]),
    ...(clock.speed === undefined ? [] : [`${clock.speed} times as fast`]),
  ])
  tell(
    'keys',
    Object.entries(account.keys ?? {}).map(
      ([key, { models }]) => `${key} (${Array.isArray(models) ? joinWords(models as string[]) : 'every model'})`,
    ),
  )
  tell(
    'models',
    Object.entries(account.models ?? {}).map(
      ([group, models]) => `${group}: ${Array.isArray(models) ? joinWords(models as string[]) : formatValue(models)}`,
    ),
  )
  tell(
    'limits',
    Object.entries(account.limits ?? {}).map(([limit, value]) => `${limit} ${formatValue(value)}`),
  )
  for (const [kind, things = []] of Object.entries(given)) {
    tell(
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
  tell(
    'states',
    Object.entries(states).map(([name, value]) => `${name} is ${formatValue(value)}`),
  )
  return facts
}
