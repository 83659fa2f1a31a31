/**
 * The possible responses of a rule, and the operations that it applies to: all on which each part of its
 * responses acts.
 */

import { digest } from '../../engine/random.ts'
import { redactHeader, redactKey } from '../../engine/redact.ts'
import {
  canDraw,
  canSpeak,
  concernsJob,
  type Operation,
  type Selector,
  type Vocabulary,
} from '../../protocol/operations.ts'
import type { PlannedCall } from '../../protocol/plan.ts'
import { clip, valueAt } from '../../protocol/wording.ts'
import { faultNamed, placedFaults } from '../faults/all.ts'
import type { AnswerSpec, ThenSpec, WhenSpec } from '../format/rule.ts'
import type { RuleSpec } from '../format/scenario.ts'
import type { CallSpec, ScriptItemSpec } from '../format/stream.ts'
import type { RuleFacts } from '../rule-outcomes.ts'
import { textOf, valueNamed } from '../templates.ts'
import { parts } from './parts.ts'

/** A part of a rule, with its place and the operations that it applies to. */
interface Reach {
  readonly path: readonly (string | number)[]
  readonly on: Selector
}

/** The parts of a rule that do not apply to every operation. */
export function* reachOf(when: WhenSpec, then: ThenSpec): Generator<Reach> {
  if (when.per === perJob) yield { path: ['when', 'per'], on: concernsJob }
  for (const { answer, path } of answersOf(then))
    for (const [on, ...at] of selectorsOf(answer)) yield { path: ['then', ...path, ...at], on }
}

function* selectorsOf(answer: AnswerSpec): Generator<readonly [Selector, ...(string | number)[]]> {
  for (const { name, needs } of parts)
    if (needs !== undefined && valueAt(answer, name.split('.')) !== undefined)
      yield [needs, ...name.split('.')]
  for (const { script, path } of scriptsOf(answer))
    for (const [index, item] of script.entries()) {
      if ('partial' in item || 'image' in item) yield [canDraw, ...path, index]
      else if (!('usage' in item || 'wait' in item || 'raw' in item || 'fault' in item))
        yield [canSpeak, ...path, index]
    }
  for (const { fault, at } of placedFaults(answer.fault)) {
    const found = faultNamed(fault.kind)
    if (found !== undefined) yield [found.on, 'fault', ...at]
  }
}

/** A possible response of a rule, with its place under `then`. */
export interface PlacedAnswer {
  readonly answer: AnswerSpec
  readonly path: readonly (string | number)[]
}

export function answersOf(then: ThenSpec): PlacedAnswer[] {
  const { sequence, end: _, ...own } = then
  if (sequence !== undefined) return sequence.map((answer, index) => ({ answer, path: ['sequence', index] }))
  return [{ answer: own, path: [] }]
}

/** Whether an operation matches an id, a group (`imageJobs.*`) or `*`. */
export function matchesOperation(pattern: string, operation: string): boolean {
  return (
    pattern === '*' ||
    pattern === operation ||
    (pattern.endsWith('.*') && operation.startsWith(pattern.slice(0, -1)))
  )
}

/** The operations that a rule names; of a group, those that each of its parts applies to. */
export function selectedOperations(
  { when = {}, then }: Pick<RuleSpec, 'when' | 'then'>,
  { all }: Vocabulary,
): Operation[] {
  const patterns = [when.operation ?? '*'].flat()
  const reaches = [...reachOf(when, then)]
  return all.filter((operation) => {
    const id = operation.endpoint.operation
    if (patterns.includes(id)) return true
    return (
      patterns.some((pattern) => matchesOperation(pattern, id)) && reaches.every(({ on }) => on(operation))
    )
  })
}

export function scriptsOf({ choices = [], stream }: AnswerSpec): {
  readonly script: readonly ScriptItemSpec[]
  readonly path: readonly (string | number)[]
}[] {
  return [
    ...(stream?.script === undefined ? [] : [{ script: stream.script, path: ['stream', 'script'] }]),
    ...choices.flatMap(({ script }, index) =>
      script === undefined ? [] : [{ script, path: ['choices', index, 'script'] }],
    ),
  ]
}

/** The calls of a response; a name alone leaves the arguments to the schema of the tool. */
export function callsOf(written: CallSpec): readonly PlannedCall[] {
  return [written].flat().map((call) => {
    if (typeof call === 'string') return { name: call }
    const [[name, given] = ['', '']] = Object.entries(call)
    return { name, input: typeof given === 'string' ? given : JSON.stringify(given) }
  })
}

/** The names of the tools that a response calls. */
export function toolsCalled(answer: AnswerSpec): readonly string[] {
  const items = scriptsOf(answer).flatMap(({ script }) => script)
  const calls = [
    ...items.flatMap((item) => ('toolCall' in item ? item.toolCall : [])),
    ...items.flatMap((item) => ('toolCalls' in item ? item.toolCalls : [])),
    ...callsOf(answer.call ?? []),
  ]
  return [...new Set(calls.map(({ name }) => name))]
}

/** A value of a call by which a rule counts. */
export interface CountedValue {
  /** Identifies it; of bounded length for any request. */
  readonly name: string
  /** In words, for explanations; secrets are hidden. */
  readonly shown: string
}

/** The value that counts all calls of a session together, the default of `per`. */
export const perSession = 'session'

/** The name of a value that a call has. */
export const perJob = 'job'

/** Whether a rule responds only to some of the requests that meet its conditions. */
export function isCounted({ nth, first, everyNth, times }: WhenSpec): boolean {
  return (nth ?? first ?? everyNth ?? times) !== undefined
}

export function countedBy(per: string | undefined): ((facts: RuleFacts) => CountedValue) | undefined {
  if (per === undefined || per === perSession) return undefined
  return (facts) => {
    const { job } = facts
    if (per === perJob) {
      const id = job === undefined ? undefined : `${job.kind} ${job.id}`
      return { name: bounded(id ?? ''), shown: clip(id ?? 'no job', maxShown) }
    }
    const value = valueNamed(per, facts)
    // A string and a number with the same digits are different values.
    const name = bounded(`${typeof value} ${textOf(value)}`)
    if (value === undefined) return { name, shown: `no ${per}` }
    return { name, shown: `${per} ${clip(redacted(per, textOf(value) ?? ''), maxShown)}` }
  }
}

const maxShown = 80
const maxName = 200

const bounded = (text: string): string => (text.length > maxName ? digest(text) : text)

function redacted(per: string, text: string): string {
  if (per === 'key') return redactKey(text)
  if (!per.startsWith('headers.')) return JSON.stringify(text)
  const header = per.slice('headers.'.length).toLowerCase()
  return JSON.stringify(redactHeader(header, text))
}
