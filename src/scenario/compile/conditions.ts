/** A rule's `when` as a list of conditions that can be evaluated and counted one by one, cheap ones first. */

import { formatDuration } from '../../engine/duration.ts'
import { valueAt } from '../../protocol/wording.ts'
import { bodyOf, type ConditionFacts, callParts, turnsOf } from '../condition-facts.ts'
import type { WhenSpec } from '../format/rule.ts'
import { type Comparing, type Difference, differences, rememberedPatterns } from './match-value.ts'

export interface Condition {
  /** Its place under `when`: `body`, `headers.x-a`. */
  readonly field: string
  /** The difference of the call; undefined if the condition matches. */
  fails(facts: ConditionFacts): Difference | undefined
  /** All differences of the call. */
  differences(facts: ConditionFacts): Iterator<Difference> & Iterable<Difference>
}

function condition(field: string, differences: Condition['differences']): Condition {
  return { field, differences, fails: (facts) => differences(facts).next().value ?? undefined }
}

/** The conditions of a rule, apart from its operation and counts. `flags` are the initial values. */
export function conditionsOf(when: WhenSpec, flags: Readonly<Record<string, string>>): Condition[] {
  const list: Condition[] = []
  const like = (
    field: string,
    shape: unknown,
    how: Comparing,
    value: (facts: ConditionFacts) => unknown,
  ): void => {
    if (shape !== undefined) list.push(condition(field, (facts) => differences(shape, value(facts), how)))
  }
  const plain: Comparing = { pattern: rememberedPatterns() }
  const texts: Comparing = { ...plain, texts: true }
  const names: Comparing = { ...plain, endings: true }
  like('key', when.key, names, callParts.key)
  like('model', when.model, names, callParts.model)
  for (const [name, shape] of Object.entries(when.flags ?? {}))
    like(`flags.${name}`, shape, plain, (facts) => flagOf(name, facts, flags))
  if (when.during !== undefined) list.push(window(when.during))
  for (const part of ['path', 'headers', 'query'] as const)
    for (const [name, shape] of Object.entries(when[part] ?? {})) {
      const path = [part === 'headers' ? name.toLowerCase() : name]
      like(`${part}.${name}`, shape, texts, (facts) => valueAt(callParts[part](facts), path))
    }
  const { conversation = {} } = when
  like('conversation.lastUser', conversation.lastUser, plain, callParts.prompt)
  like('conversation.turn', conversation.turn, plain, (facts) => turnsOf(facts.payload).turn)
  const { toolResult } = conversation
  const result = typeof toolResult === 'boolean' ? { exists: toolResult } : toolResult
  like('conversation.toolResult', result, plain, (facts) => turnsOf(facts.payload).toolResult)
  if (when.body !== undefined)
    list.push(
      condition('body', ({ payload }) =>
        differences(when.body, bodyOf(payload), payload.kind === 'form' ? texts : plain),
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

function window({ from = 0, until }: NonNullable<WhenSpec['during']>): Condition {
  const end = until === undefined ? 'the end' : formatDuration(until)
  const expected = `a time from ${formatDuration(from)} to ${end} of the session`
  return condition('during', function* ({ now, sandbox: { startedAt } }) {
    const elapsed = now - startedAt
    if (elapsed < from || (until !== undefined && elapsed >= until))
      yield { path: [], expected, got: formatDuration(elapsed) }
  })
}
