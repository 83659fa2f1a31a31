/** The keys that a scenario names, and what is sent in their place. */
import type { Step } from '../scenario/format/steps.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { defaultKey } from '../scenario/load/scenario-set.ts'

/** The keys for a server: one for the scenario's first key, and others by name. */
export interface GivenKeys {
  readonly first: string | undefined
  readonly byName: ReadonlyMap<string, string>
}

/** The key of steps without `key`. */
export function firstKeyOf({ spec }: Scenario): string {
  return Object.keys(spec.account?.keys ?? {})[0] ?? defaultKey
}

/** Every key that `--api-key NAME=KEY` can replace. */
export function keyNamesOf(scenario: Scenario): string[] {
  const firstKey = firstKeyOf(scenario)
  const sent = keysIn(scenario.spec.steps ?? [], firstKey).map(({ key }) => key)
  return [...new Set([...Object.keys(scenario.spec.account?.keys ?? {}), firstKey, ...sent])]
}

/** The key of each step that names one or sends the first one; those of earlier replies are not known yet. */
export function keysIn(
  steps: readonly Step[],
  firstKey: string,
  isOpen: (operation: string) => boolean = () => false,
  before = '',
): { readonly step: string; readonly key: string }[] {
  return steps
    .flatMap((step, index) => {
      const number = `${before}${index + 1}`
      if ('parallel' in step) return keysIn(step.parallel, firstKey, isOpen, `${number}.`)
      if ('call' in step) return isOpen(step.call) ? [] : [{ step: number, key: step.key ?? firstKey }]
      return 'fetch' in step && step.key !== undefined ? [{ step: number, key: step.key }] : []
    })
    .filter(({ key }) => key !== '' && !key.includes('${'))
}

/** A shorter key is no secret, and would be found in ordinary words. */
const shortestSecret = 8

/** Hides real keys in a text: a server may repeat a key, and reports are shared. */
export function keyRemover({ first, byName }: GivenKeys): (text: string) => string {
  const keys = [...(first === undefined ? [] : [first]), ...byName.values()].filter(
    ({ length }) => length >= shortestSecret,
  )
  // One may begin with another.
  keys.sort((a, b) => b.length - a.length)
  return (text) => keys.reduce((hidden, key) => hidden.replaceAll(key, '<key>'), text)
}
