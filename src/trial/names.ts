/** The names of runs on the command line: failures, operations, groups, and pairs of them. */
import { didYouMean } from '../protocol/nearest-word.ts'
import { allFailures } from './failure.ts'

const groupOf = (operation: string): string => `${operation.split('.', 1)[0]}.*`

/** Whether a name is the operation's or its group's: `videos.*`. */
export const isOperationNamed = (operation: string, name: string): boolean =>
  name === operation || name === groupOf(operation)

/** Whether a name selects the failure, the operation, its group, or a pair: `videos.*:reset`. */
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

/** The error in a name; undefined if the name is known. */
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
