/** Finds the calls that came closest to a pattern. */
import type { RecalledCall } from './call-facts.ts'
import type { CallDifference, NearCall } from './request.ts'

export interface NearMiss {
  readonly call: RecalledCall
  readonly differences: readonly CallDifference[]
}

const maxNearest = 3
const otherGroup = 1000
const otherOperation = 100

/**
 * The nearest calls, nearest first, at most three. Calls of other operations count only if the right one has
 * none.
 */
export function nearestOf(
  missed: readonly NearMiss[],
  operations: readonly string[] | undefined,
): NearCall[] {
  const groups = new Set(operations?.map((operation) => operation.split('.')[0]))
  const distanceOf = ({ call, differences }: NearMiss): number =>
    differences.length +
    (differences[0]?.field !== 'operation'
      ? 0
      : groups.has(call.entry.operation?.split('.')[0] as string)
        ? otherOperation
        : otherGroup)
  const ranked = missed
    .map((one) => ({ one, distance: distanceOf(one) }))
    .sort((a, b) => a.distance - b.distance || a.one.call.entry.seq - b.one.call.entry.seq)
  const right = ranked.filter(({ distance }) => distance < otherOperation)
  return (right.length > 0 ? right : ranked).slice(0, maxNearest).map(({ one: { call, differences } }) => {
    const { seq, requestId, operation = null, status } = call.entry
    return { seq, requestId, operation, status, differences }
  })
}
