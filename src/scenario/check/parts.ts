/** Parts of one response that exclude each other: one would silently do nothing. */
import type { Operation } from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { faultParts, hasPart, type PartName, parts } from '../compile/parts.ts'
import { faultNamed, placedFaults, plannedFault } from '../faults/all.ts'
import type { AnswerSpec } from '../format/rule.ts'
import { type FileError, type Path, unlessIntended, wrongKey, wrongValue } from './finding.ts'

export function* checkParts(
  answer: AnswerSpec,
  path: Path,
  operation: Operation | undefined,
): Generator<FileError> {
  for (const { name, excludes = [], why = '' } of parts)
    if (hasPart(answer, name)) yield* conflicts(answer, excludes, path, `\`${name}\`, ${why}`)
  const { status = 200 } = answer.response ?? {}
  if (status >= 300 && answer.offContract !== true)
    yield wrongValue(
      [...path, 'response', 'status'],
      `write \`error: { status: ${status} }\` for the API's error envelope, or ${unlessIntended}`,
    )
  yield* checkFaults(answer, path, operation)
}

function conflicts(answer: AnswerSpec, excluded: readonly PartName[], path: Path, what: string): FileError[] {
  return excluded
    .filter((name) => hasPart(answer, name))
    .map((name) => wrongKey([...path, ...name.split('.')], `conflicts with ${what}`))
}

function* checkFaults(
  answer: AnswerSpec,
  path: Path,
  operation: Operation | undefined,
): Generator<FileError> {
  let rejecting: string | undefined
  for (const { fault, at } of placedFaults(answer.fault)) {
    const { kind, chance = 1 } = fault
    // A fault with a chance does not always happen and excludes nothing.
    if (chance < 1 || operation === undefined) continue
    const plan: Plan = faultNamed(kind)?.plan?.(plannedFault(fault).options, operation) ?? {}
    for (const { plans, excludes = [], why = '' } of faultParts) {
      if (plan[plans] === undefined) continue
      const endsJob = plans === 'reject' && plan.reject?.jobContinues !== true
      const all: readonly PartName[] = endsJob ? [...excludes, 'timeline', 'job'] : excludes
      yield* conflicts(answer, all, path, `the fault ${kind}, ${why}`)
    }
    if (plan.reject === undefined) continue
    if (rejecting !== undefined)
      yield wrongValue(
        [...path, 'fault', ...at],
        `${kind}: ${rejecting} already rejects the request: keep one fault, or put both into a \`sequence\``,
      )
    rejecting = kind
  }
}
