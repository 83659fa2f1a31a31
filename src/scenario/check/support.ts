/**
 * Which words of an answer act on which operations. A rule that could do nothing is refused when it is
 * loaded.
 */
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { faultNamed } from '../faults/all.ts'
import { streaming } from '../faults/places.ts'
import type { WrittenAnswer, WrittenFault, WrittenThen } from '../written.ts'

/** Something an answer says, with its place under `then` and the operations it acts on; undefined for all. */
export interface Reach {
  readonly path: readonly (string | number)[]
  readonly on: ((operation: string) => boolean) | undefined
  /** The operations in words. */
  readonly where: string
}

const talks: readonly string[] = ['chat.create', 'messages.create']
const draws: readonly string[] = ['images.generate', 'images.edit']

/** Where each thing that an answer says acts. */
export function* reachOf(
  answer: WrittenAnswer,
  kinds: readonly ScriptedKind[],
  path: readonly (string | number)[] = [],
): Generator<Reach> {
  const among = (list: readonly string[], ...at: (string | number)[]): Reach => ({
    path: [...path, ...at],
    on: (operation) => list.includes(operation),
    where: list.join(', '),
  })
  const made = kinds.flatMap(({ madeBy }) => madeBy)
  if (answer.timeline !== undefined) yield among(made, 'timeline')
  if (answer.job !== undefined) yield among(made, 'job')
  if (typeof answer.job === 'object' && answer.job.blocked !== undefined)
    yield among(kinds.find(({ name }) => name === 'imageJobs')?.madeBy ?? [], 'job', 'blocked')
  if (answer.text !== undefined) yield among(talks, 'text')
  if (answer.stream !== undefined) {
    yield among(streaming, 'stream')
    for (const [index, item] of (answer.stream.script ?? []).entries()) {
      if ('partial' in item || 'picture' in item) yield among(draws, 'stream', 'script', index)
      else if (!('usage' in item || 'wait' in item || 'raw' in item || 'fault' in item))
        yield among(talks, 'stream', 'script', index)
    }
  }
  if (answer.upstream !== undefined) yield among(['systemone.evaluate'], 'upstream')
  if (answer.fault !== undefined) {
    const listed = Array.isArray(answer.fault)
    for (const [index, fault] of (
      (listed ? answer.fault : [answer.fault]) as readonly WrittenFault[]
    ).entries()) {
      const { on = [] } = faultNamed(typeof fault === 'string' ? fault : fault.kind) ?? {}
      yield {
        path: [...path, 'fault', ...(listed ? [index] : [])],
        on: (operation) => on.some((pattern) => matchesOperation(pattern, operation)),
        where: on.join(', '),
      }
    }
  }
}

/** The same of all answers of a rule. */
export function* reachOfThen(then: WrittenThen, kinds: readonly ScriptedKind[]): Generator<Reach> {
  for (const { answer, path } of answersOf(then)) yield* reachOf(answer, kinds, path)
}

/** Every answer that a rule can give, with its place under `then`. */
export function answersOf(
  then: WrittenThen,
): { readonly answer: WrittenAnswer; readonly path: readonly (string | number)[] }[] {
  const { sequence, end: _, weighted, ...own } = then
  if (sequence !== undefined) return sequence.map((answer, index) => ({ answer, path: ['sequence', index] }))
  if (weighted !== undefined)
    return weighted.map(({ then: answer }, index) => ({ answer, path: ['weighted', index, 'then'] }))
  return [{ answer: own, path: [] }]
}

/** Whether an operation is meant by an id, a group (`imageJobs.*`) or `*`. */
export function matchesOperation(pattern: string, operation: string): boolean {
  return (
    pattern === '*' ||
    pattern === operation ||
    (pattern.endsWith('.*') && operation.startsWith(pattern.slice(0, -1)))
  )
}

/**
 * The operations that a rule is about: those it names, and of groups those that all of its answers act on.
 */
export function selectedOperations(
  written: string | readonly string[] | undefined,
  then: WrittenThen,
  operations: readonly string[],
  kinds: readonly ScriptedKind[],
): string[] {
  const patterns = written === undefined ? ['*'] : typeof written === 'string' ? [written] : written
  const reaches = [...reachOfThen(then, kinds)]
  return operations.filter(
    (operation) =>
      patterns.includes(operation) ||
      (patterns.some((pattern) => matchesOperation(pattern, operation)) &&
        reaches.every(({ on }) => on === undefined || on(operation))),
  )
}
