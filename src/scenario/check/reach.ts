/**
 * Which parts of an answer act on which operations. A rule with a part that can never act is refused when it
 * is loaded.
 */
import {
  canBlockImages,
  canDraw,
  canSpeak,
  canStream,
  canSubmit,
  hasUpstream,
  patternsOf,
  type Selector,
  type Vocabulary,
} from '../../protocol/operations.ts'
import { placedFaults } from '../compile/fault.ts'
import { looksAtJob } from '../compile/per.ts'
import { faultNamed } from '../faults/all.ts'
import type { AnswerSpec, ThenSpec } from '../format/then.ts'
import type { WhenSpec } from '../format/when.ts'
import { scriptsOf } from './script.ts'

/** A part of an answer, with its place under `then` and the operations it acts on. */
export interface Reach {
  readonly path: readonly (string | number)[]
  on(operation: string): boolean
  /** The operations in words. */
  where(): string
}

/** The reach of each part of an answer. */
function* reachOf(
  answer: AnswerSpec,
  vocabulary: Vocabulary,
  path: readonly (string | number)[] = [],
): Generator<Reach> {
  for (const [selector, ...at] of selectorsOf(answer))
    yield {
      path: [...path, ...at],
      on(operation) {
        const found = vocabulary.operation(operation)
        return found !== undefined && selector(found)
      },
      where: () => patternsOf(selector, vocabulary.all).join(', '),
    }
}

function* selectorsOf({
  timeline,
  job,
  text,
  choices,
  stream,
  upstream,
  fault,
}: AnswerSpec): Generator<readonly [Selector, ...(string | number)[]]> {
  if (timeline !== undefined) yield [canSubmit, 'timeline']
  if (job !== undefined) yield [canSubmit, 'job']
  if (typeof job === 'object' && job.blocked !== undefined) yield [canBlockImages, 'job', 'blocked']
  if (text !== undefined) yield [canSpeak, 'text']
  if (choices !== undefined) yield [canSpeak, 'choices']
  if (stream !== undefined) yield [canStream, 'stream']
  for (const { script, path } of scriptsOf({ choices, stream }))
    for (const [index, item] of script.entries()) {
      if ('partial' in item || 'picture' in item) yield [canDraw, ...path, index]
      else if (!('usage' in item || 'wait' in item || 'raw' in item || 'fault' in item))
        yield [canSpeak, ...path, index]
    }
  if (upstream !== undefined) yield [hasUpstream, 'upstream']
  for (const { fault: one, at } of placedFaults(fault)) {
    const found = faultNamed(one.kind)
    if (found !== undefined) yield [found.on, 'fault', ...at]
  }
}

/** The same for all answers of a rule. */
export function* reachOfThen(then: ThenSpec, vocabulary: Vocabulary): Generator<Reach> {
  for (const { answer, path } of answersOf(then)) yield* reachOf(answer, vocabulary, path)
}

/** Every answer that a rule can give, with its place under `then`. */
export function answersOf(
  then: ThenSpec,
): { readonly answer: AnswerSpec; readonly path: readonly (string | number)[] }[] {
  const { sequence, end: _, weighted, ...own } = then
  if (sequence !== undefined) return sequence.map((answer, index) => ({ answer, path: ['sequence', index] }))
  if (weighted !== undefined)
    return weighted.map(({ then: answer }, index) => ({ answer, path: ['weighted', index, 'then'] }))
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

/**
 * The operations of a rule: those it names, and of groups those that all of its answers act on and that name
 * a job where it looks at one.
 */
export function selectedOperations(
  when: WhenSpec | undefined,
  then: ThenSpec,
  vocabulary: Vocabulary,
): string[] {
  const written = when?.operation
  const patterns = written === undefined ? ['*'] : typeof written === 'string' ? [written] : written
  const reaches: Pick<Reach, 'on'>[] = [...reachOfThen(then, vocabulary)]
  if (looksAtJob(when))
    reaches.push({ on: (operation) => vocabulary.endpoint(operation)?.concerns !== undefined })
  return vocabulary.operations.filter(
    (operation) =>
      patterns.includes(operation) ||
      (patterns.some((pattern) => matchesOperation(pattern, operation)) &&
        reaches.every(({ on }) => on(operation))),
  )
}
