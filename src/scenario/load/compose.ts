/**
 * Several scenarios as one: rules in order, keys and given things together, and what they may not disagree
 * about.
 */
import type { ScenarioMistake } from '../check/shape.ts'
import type { WrittenRule } from '../written.ts'

type Fields = Readonly<Record<string, unknown>>

/** Keys, models and limits, as a scenario writes them. */
export interface Account {
  readonly keys?: Readonly<Record<string, Fields>>
  readonly models?: Fields
  readonly limits?: Fields
}

/** A scenario that has been checked, as far as composing looks into it. */
export interface WrittenScenario {
  readonly title: string
  readonly description?: string
  readonly seed?: string
  readonly clock?: {
    readonly mode?: 'real' | 'manual' | 'auto'
    readonly start?: string
    readonly speed?: number
  }
  readonly account?: Account
  readonly given?: Readonly<Record<string, readonly Fields[]>>
  readonly states?: Readonly<Record<string, string>>
  readonly rules?: readonly WrittenRule[]
  readonly steps?: readonly Fields[]
}

export interface Composed {
  readonly seed: string | undefined
  readonly clock: NonNullable<WrittenScenario['clock']>
  readonly account: NonNullable<WrittenScenario['account']>
  readonly states: Readonly<Record<string, string>>
  readonly rules: readonly (WrittenRule & { readonly id: string })[]
  readonly given: readonly { readonly kind: string; readonly fields: Fields; readonly from: number }[]
  /** With the number of the scenario that disagrees with one before it. */
  readonly mistakes: readonly (ScenarioMistake & { readonly from: number })[]
}

/** Composes scenarios; `names` are how reports call them. */
export function compose(scenarios: readonly WrittenScenario[], names: readonly string[]): Composed {
  const mistakes: (ScenarioMistake & { readonly from: number })[] = []
  const once = new Map<string, { readonly value: unknown; readonly from: number }>()
  // Of what there can be only one, all must say the same.
  const agree = (path: readonly string[], value: unknown, from: number): void => {
    if (value === undefined) return
    const name = path.join('.')
    const before = once.get(name)
    if (before === undefined) once.set(name, { value, from })
    else if (JSON.stringify(before.value) !== JSON.stringify(value))
      mistakes.push({
        path,
        key: false,
        from,
        message: `${names[before.from]} says ${JSON.stringify(before.value)}, this file ${JSON.stringify(value)}: two files that are used together must agree`,
      })
  }
  const valueOf = <T>(name: string): T | undefined => once.get(name)?.value as T | undefined

  const keys: Record<string, Fields> = {}
  let anyKeys = false
  const rules: (WrittenRule & { readonly id: string })[] = []
  const ids = new Map<string, number>()
  const given: { kind: string; fields: Fields; from: number }[] = []
  const givenIds = new Map<string, number>()
  for (const [from, { seed, clock, account, given: things, states, rules: own }] of scenarios.entries()) {
    agree(['seed'], seed, from)
    for (const [name, value] of Object.entries(clock ?? {})) agree(['clock', name], value, from)
    for (const [name, value] of Object.entries(account?.models ?? {}))
      agree(['account', 'models', name], value, from)
    for (const [name, value] of Object.entries(account?.limits ?? {}))
      agree(['account', 'limits', name], value, from)
    for (const [name, value] of Object.entries(states ?? {})) agree(['states', name], value, from)
    for (const [name, value] of Object.entries(account?.keys ?? {})) {
      anyKeys = true
      agree(['account', 'keys', name], value, from)
      keys[name] ??= value
    }
    for (const [index, rule] of (own ?? []).entries()) {
      const id = rule.id ?? `${names[from]}#${index + 1}`
      const before = ids.get(id)
      if (before !== undefined)
        mistakes.push({
          path: ['rules', index, 'id'],
          key: false,
          from,
          message: `${names[before]} has a rule ${JSON.stringify(id)} too: give each its own name`,
        })
      ids.set(id, from)
      rules.push({ ...rule, id })
    }
    for (const [kind, list] of Object.entries(things ?? {})) {
      for (const [index, fields] of list.entries()) {
        const id = fields['id'] ?? fields['path']
        const name = `${kind} ${String(id)}`
        const before = id === undefined ? undefined : givenIds.get(name)
        if (before !== undefined && before !== from)
          mistakes.push({
            path: ['given', kind, index],
            key: false,
            from,
            message: `${names[before]} gives ${name} too`,
          })
        givenIds.set(name, from)
        given.push({ kind, fields, from })
      }
    }
  }
  const grouped = (front: string): Fields =>
    Object.fromEntries(
      [...once].flatMap(([name, { value }]) =>
        name.startsWith(front) ? [[name.slice(front.length), value]] : [],
      ),
    )
  return {
    seed: valueOf('seed'),
    clock: grouped('clock.') as Composed['clock'],
    account: {
      ...(anyKeys ? { keys } : {}),
      models: grouped('account.models.'),
      limits: grouped('account.limits.'),
    },
    states: grouped('states.') as Composed['states'],
    rules,
    given,
    mistakes,
  }
}
