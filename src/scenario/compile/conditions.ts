/** A rule's `when` as a list of conditions that can be evaluated and counted one by one, cheap ones first. */
import { parseDuration } from '../../engine/duration.ts'
import { parseInstant } from '../../engine/instant.ts'
import { bodyOf, queryOf, type RuleFacts, turnsOf } from '../facts.ts'
import { type Comparing, type Difference, firstDifference } from './match-shape.ts'

/** One thing that must hold. */
export interface Condition {
  /** Where it stands under `when`: `body`, `headers.x-a`. */
  readonly field: string
  /** What is wrong with the call; undefined when it holds. */
  fails(facts: RuleFacts): Difference | undefined
}

/** What `when` says, as it is written. */
export interface WrittenWhen {
  readonly key?: unknown
  readonly model?: unknown
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly path?: Readonly<Record<string, unknown>>
  readonly conversation?: {
    readonly lastUser?: unknown
    readonly toolResult?: unknown
    readonly turn?: unknown
  }
  readonly state?: Readonly<Record<string, unknown>>
  readonly during?: { readonly from?: string | number; readonly until?: string | number }
}

/**
 * The conditions of a rule beside its operation and its counts. `states` are the first values of the named
 * states.
 */
export function conditionsOf(when: WrittenWhen, states: Readonly<Record<string, string>>): Condition[] {
  const list: Condition[] = []
  const like = (
    field: string,
    shape: unknown,
    how: Comparing,
    value: (facts: RuleFacts) => unknown,
  ): void => {
    if (shape !== undefined) list.push({ field, fails: (facts) => firstDifference(shape, value(facts), how) })
  }
  const texts: Comparing = { texts: true }
  const names: Comparing = { endings: true }
  like('key', when.key, names, (facts) => facts.key)
  like('model', when.model, names, (facts) => facts.model)
  for (const [name, shape] of Object.entries(when.state ?? {}))
    like(`state.${name}`, shape, {}, (facts) => stateOf(name, facts, states))
  if (when.during !== undefined) list.push(window(when.during))
  for (const [name, shape] of Object.entries(when.path ?? {}))
    like(`path.${name}`, shape, texts, (facts) => facts.params[name])
  for (const [name, shape] of Object.entries(when.headers ?? {}))
    like(`headers.${name}`, shape, texts, (facts) => facts.headers[name.toLowerCase()])
  for (const [name, shape] of Object.entries(when.query ?? {}))
    like(`query.${name}`, shape, texts, (facts) => queryOf(facts.query)[name])
  const { conversation } = when
  like('conversation.lastUser', conversation?.lastUser, {}, (facts) => facts.prompt)
  like('conversation.turn', conversation?.turn, {}, (facts) => turnsOf(facts.payload).turn)
  if (conversation?.toolResult !== undefined) {
    const { toolResult: wanted } = conversation
    const shape = typeof wanted === 'boolean' ? { exists: wanted } : wanted
    like('conversation.toolResult', shape, {}, (facts) => turnsOf(facts.payload).toolResult)
  }
  if (when.body !== undefined) {
    list.push({
      field: 'body',
      fails: (facts) =>
        firstDifference(when.body, bodyOf(facts.payload), facts.payload.kind === 'form' ? texts : {}),
    })
  }
  return list
}

/** The value of a named state in a session. */
export function stateOf(
  name: string,
  { world }: Pick<RuleFacts, 'world'>,
  states: Readonly<Record<string, string>>,
): string | undefined {
  return world.states.get(name) ?? (Object.hasOwn(states, name) ? states[name] : undefined)
}

function window({ from, until }: NonNullable<WrittenWhen['during']>): Condition {
  const at = (written: string | number | undefined, startedAt: number): number | undefined => {
    if (written === undefined) return undefined
    const after = parseDuration(written)
    return after === undefined ? parseInstant(written) : startedAt + after
  }
  return {
    field: 'during',
    fails({ now, world }) {
      const begin = at(from, world.startedAt)
      const end = at(until, world.startedAt)
      if ((begin === undefined || now >= begin) && (end === undefined || now < end)) return undefined
      return {
        path: [],
        expected: [from === undefined ? '' : `from ${from} on`, until === undefined ? '' : `before ${until}`]
          .filter(Boolean)
          .join(' and '),
        got: new Date(now).toISOString(),
      }
    },
  }
}
