/** A rule's `when` as a list of conditions that can be evaluated and counted one by one, cheap ones first. */
import { bodyOf, type CallPlace, type ConditionFacts, turnsOf, valueIn } from '../condition-facts.ts'
import type { WhenSpec } from '../format/rule.ts'
import type { Moment } from '../values.ts'
import {
  type Comparing,
  type Difference,
  differences,
  isOperators,
  rememberedPatterns,
} from './match-value.ts'

export interface Condition {
  /** Its place under `when`: `body`, `headers.x-a`. */
  readonly field: string
  /** The difference of the call; undefined if the condition matches. */
  fails(facts: ConditionFacts): Difference | undefined
  /** All differences of the call. */
  differences(facts: ConditionFacts): Iterator<Difference> & Iterable<Difference>
  /** The strings that a matching call must have, as far as an index can look them up. */
  readonly needs: readonly Need[]
}

function condition(
  field: string,
  differences: Condition['differences'],
  needs: readonly Need[] = [],
): Condition {
  return { field, differences, fails: (facts) => differences(facts).next().value ?? undefined, needs }
}

/** The conditions of a rule, apart from its operation and counts. `flags` are the initial values. */
export function conditionsOf(when: WhenSpec, flags: Readonly<Record<string, string>>): Condition[] {
  const list: Condition[] = []
  const like = (
    field: string,
    shape: unknown,
    how: Comparing,
    at: CallPlace | ((facts: ConditionFacts) => unknown),
  ): void => {
    if (shape === undefined) return
    const value = typeof at === 'function' ? at : (facts: ConditionFacts) => valueIn(facts, at)
    const needs = typeof at === 'function' ? [] : [...needsOf(shape, at, how.endings === true)]
    list.push(condition(field, (facts) => differences(shape, value(facts), how), needs))
  }
  const plain: Comparing = { pattern: rememberedPatterns() }
  const texts: Comparing = { ...plain, texts: true }
  const names: Comparing = { ...plain, endings: true }
  like('key', when.key, names, ['key'])
  like('model', when.model, names, ['model'])
  for (const [name, shape] of Object.entries(when.flags ?? {}))
    like(`flags.${name}`, shape, plain, (facts) => flagOf(name, facts, flags))
  if (when.during !== undefined) list.push(window(when.during))
  for (const part of ['path', 'headers', 'query'] as const)
    for (const [name, shape] of Object.entries(when[part] ?? {}))
      like(`${part}.${name}`, shape, texts, [part, part === 'headers' ? name.toLowerCase() : name])
  const { conversation = {}, job = {} } = when
  like('job.operation', job.operation, names, (facts) => facts.job?.made?.operation)
  like('job.model', job.model, names, (facts) => facts.job?.made?.model)
  like('job.prompt', job.prompt, plain, (facts) => facts.job?.made?.prompt)
  const ofKind = (form: boolean | undefined): Comparing => (form === true ? texts : plain)
  if (job.body !== undefined)
    list.push(
      condition('job.body', ({ job: named }) =>
        differences(job.body, named?.made?.body, ofKind(named?.made?.form)),
      ),
    )
  like('conversation.lastUser', conversation.lastUser, plain, ['prompt'])
  like('conversation.turn', conversation.turn, plain, (facts) => turnsOf(facts.payload).turn)
  const { toolResult } = conversation
  const result = typeof toolResult === 'boolean' ? { exists: toolResult } : toolResult
  like('conversation.toolResult', result, plain, (facts) => turnsOf(facts.payload).toolResult)
  if (when.body !== undefined)
    list.push(
      condition(
        'body',
        ({ payload }) => differences(when.body, bodyOf(payload), ofKind(payload.kind === 'form')),
        [...needsOf(when.body, ['body'], false)],
      ),
    )
  return list
}

function flagOf(
  name: string,
  { sandbox }: Pick<ConditionFacts, 'sandbox'>,
  flags: Readonly<Record<string, string>>,
): string | undefined {
  return sandbox.flags.get(name) ?? (Object.hasOwn(flags, name) ? flags[name] : undefined)
}

function window({ from, until }: NonNullable<WhenSpec['during']>): Condition {
  const expected = [
    ...(from === undefined ? [] : [`from ${from.written} on`]),
    ...(until === undefined ? [] : [`before ${until.written}`]),
  ].join(' and ')
  return condition('during', function* ({ now, sandbox: { startedAt } }) {
    if (
      (from !== undefined && now < timestampOf(from, startedAt)) ||
      (until !== undefined && now >= timestampOf(until, startedAt))
    )
      yield { path: [], expected, got: new Date(now).toISOString() }
  })
}

function timestampOf(moment: Moment, startedAt: number): number {
  return 'at' in moment ? moment.at : startedAt + moment.after
}

/** A place in a call, with the strings of which one must be there. */
export interface Need {
  readonly place: CallPlace
  readonly texts: readonly NeededText[]
}

export interface NeededText {
  readonly text: string
  /** Whether a string that starts with it is enough. */
  readonly beginning: boolean
}

/** The strings that a matcher needs; `endings` as in `Comparing`. */
function* needsOf(shape: unknown, place: CallPlace, endings: boolean): Generator<Need> {
  if (shape !== null && typeof shape === 'object' && !isOperators(shape)) {
    for (const [name, inner] of Object.entries(shape)) yield* needsOf(inner, [...place, name], endings)
    return
  }
  const texts = textsOf(shape, endings)
  if (texts !== undefined) yield { place, texts }
}

/**
 * The key of a value in an index, the same for all values that equal one literal; undefined unless scalar.
 */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : undefined
}

function textsOf(shape: unknown, endings: boolean): readonly NeededText[] | undefined {
  if (isOperators(shape)) {
    const { equals, startsWith, anyOf } = shape
    if (equals !== undefined) return literal(equals)
    if (startsWith !== undefined) return [{ text: String(startsWith), beginning: true }]
    if (!Array.isArray(anyOf)) return undefined
    const each = anyOf.map((one) => textsOf(one, endings))
    return each.includes(undefined) ? undefined : each.flatMap((texts) => texts ?? [])
  }
  return endings && typeof shape === 'string' && shape.endsWith('*')
    ? [{ text: shape.slice(0, -1), beginning: true }]
    : literal(shape)
}

function literal(value: unknown): readonly NeededText[] | undefined {
  const text = scalarText(value)
  return text === undefined ? undefined : [{ text, beginning: false }]
}
