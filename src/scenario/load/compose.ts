/** Several scenarios as one: rules in order, keys and given things together, single values agreed on. */
import type { Fields } from '../../engine/fields.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { ScenarioMistake } from '../check/shape.ts'
import type { AccountSpec, RuleSpec, ScenarioSpec } from '../format/scenario.ts'

/** A mistake in one of several scenarios: `from` is its number. */
export type PlacedMistake = ScenarioMistake & { readonly from: number }

/** A rule that has a name, as every rule of a composition has. */
type NamedRule = RuleSpec & { readonly id: string }

export interface Composed {
  readonly seed: string | undefined
  readonly clock: NonNullable<ScenarioSpec['clock']>
  readonly account: AccountSpec
  readonly states: Readonly<Record<string, string>>
  readonly rules: readonly NamedRule[]
  readonly given: readonly GivenThing[]
  readonly mistakes: readonly PlacedMistake[]
}

/** A resource or a file of one of the scenarios, `from` being the number of the scenario. */
export interface GivenThing {
  readonly kind: string
  readonly fields: Fields
  readonly from: number
}

/** Composes scenarios; `names` are how reports call them. */
export function compose(scenarios: readonly ScenarioSpec[], names: readonly string[]): Composed {
  const together = <T extends object>(part: (scenario: ScenarioSpec) => T | undefined): T =>
    Object.assign({}, ...scenarios.map(part)) as T
  const keys = scenarios.some(({ account }) => account?.keys !== undefined)
    ? { keys: together(({ account }) => account?.keys) }
    : {}
  const rules = scenarios.flatMap(({ rules: own = [] }, from) =>
    own.map((rule, index) => ({
      from,
      index,
      rule: { ...rule, id: rule.id ?? `${names[from]}#${index + 1}` },
    })),
  )
  const given = scenarios.flatMap(({ given: things = {} }, from) =>
    Object.entries(things).flatMap(([kind, list = []]) =>
      list.map((fields, index) => ({ kind, fields: fields as Fields, from, index })),
    ),
  )
  return {
    seed: scenarios.find(({ seed }) => seed !== undefined)?.seed,
    clock: together(({ clock }) => clock),
    account: {
      ...keys,
      models: together(({ account }) => account?.models),
      limits: together(({ account }) => account?.limits),
    },
    states: together(({ states }) => states),
    rules: rules.map(({ rule }) => rule),
    given: given.map(({ kind, fields, from }) => ({ kind, fields, from })),
    mistakes: [
      ...disagreements(scenarios, names),
      ...repeated(
        rules.map(({ rule, from, index }) => ({ name: rule.id, from, path: ['rules', index, 'id'] })),
        (id, before) => `${names[before]} has a rule ${show(id)} too: give each its own name`,
      ),
      ...repeated(
        given.flatMap(({ kind, fields, from, index }) => {
          const id = fields['id'] ?? fields['path']
          return id === undefined
            ? []
            : [{ name: `${kind} ${String(id)}`, from, path: ['given', kind, index] }]
        }),
        (name, before) => `${names[before]} gives ${name} too`,
      ),
    ],
  }
}

/** Of what there can be only one, all scenarios must say the same. */
function disagreements(scenarios: readonly ScenarioSpec[], names: readonly string[]): PlacedMistake[] {
  const first = new Map<string, { readonly text: string; readonly from: number }>()
  return scenarios.flatMap((scenario, from) =>
    singleValues(scenario).flatMap(({ path, value }): PlacedMistake[] => {
      const text = JSON.stringify(value)
      const before = first.get(path.join('.'))
      if (before === undefined) {
        first.set(path.join('.'), { text, from })
        return []
      }
      if (before.text === text) return []
      const message = [
        `${names[before.from]} has ${clip(before.text, 200)}, this file has ${clip(text, 200)}:`,
        'files used together must agree',
      ].join(' ')
      return [{ path, key: false, from, message }]
    }),
  )
}

function singleValues({ seed, clock, account, states }: ScenarioSpec): {
  readonly path: readonly string[]
  readonly value: unknown
}[] {
  const each = (front: readonly string[], values: object | undefined) =>
    Object.entries(values ?? {}).map(([name, value]) => ({ path: [...front, name], value: value as unknown }))
  return [
    ...(seed === undefined ? [] : [{ path: ['seed'], value: seed }]),
    ...each(['clock'], clock),
    ...each(['account', 'models'], account?.models),
    ...each(['account', 'limits'], account?.limits),
    ...each(['states'], states),
    ...each(['account', 'keys'], account?.keys),
  ]
}

/** Names that an earlier scenario has used. */
function repeated(
  things: readonly { readonly name: string; readonly from: number; readonly path: readonly PropertyKey[] }[],
  message: (name: string, before: number) => string,
): PlacedMistake[] {
  const last = new Map<string, number>()
  return things.flatMap(({ name, from, path }) => {
    const before = last.get(name)
    last.set(name, from)
    return before === undefined || before === from
      ? []
      : [{ path, key: false, from, message: message(name, before) }]
  })
}
