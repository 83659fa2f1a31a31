/** The names of runs on the command line: failures, operations, groups, and pairs of them. */
import { didYouMean } from '../protocol/nearest-word.ts'
import { allFailures } from './failure.ts'

const groupOf = (operation: string): string => `${operation.split('.', 1)[0]}.*`

/** Whether a name is that of the operation, or of its group: `videos.*`. */
export const isOperationNamed = (operation: string, name: string): boolean =>
  name === operation || name === groupOf(operation)

/** Whether a name is that of the failure, of the operation, of its group, or of both: `videos.*:reset`. */
export function isNamed(failure: string, operation: string, names: readonly string[]): boolean {
  return names.some((name) => {
    const [first = '', second] = name.split(':')
    const isOperation = isOperationNamed(operation, first)
    return second === undefined ? isOperation || first === failure : isOperation && second === failure
  })
}

export const failureNames: readonly string[] = allFailures.map(({ id }) => id)

/** Operations and groups. */
export const operationNames = (operations: readonly string[]): string[] => [
  ...new Set([...operations, ...operations.map(groupOf)]),
]

/** What is wrong with a name, in words; undefined for a known one. */
export function nameError(name: string, operations: readonly string[]): string | undefined {
  const [first = '', second, ...rest] = name.split(':')
  const known = operationNames(operations)
  const where = 'gateway-sim trial --list shows them'
  if (second === undefined) {
    const all = [...failureNames, ...known]
    if (all.includes(first)) return undefined
    return `expected a failure or an operation, got ${JSON.stringify(name)}; ${didYouMean(first, all, where)}`
  }
  if (!known.includes(first) || rest.length > 0)
    return `expected OPERATION:FAILURE, got ${JSON.stringify(name)}; ${didYouMean(first, known, where)}`
  if (failureNames.includes(second)) return undefined
  return `unknown failure ${JSON.stringify(second)}; ${didYouMean(second, failureNames, where)}`
}
