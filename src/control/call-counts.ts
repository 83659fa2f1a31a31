/** How many calls there were of each operation with each status; nothing is counted unless metrics are on. */

/** What is counted while metrics are on. */
export interface Metrics {
  readonly calls: CallCounts
  /** Milliseconds since the epoch by the wall clock. */
  readonly startedAt: number
  wall(): number
  conditionsEvaluated(): number
}

export interface CallCounts {
  count(operation: string | undefined, status: number): void
  entries(): Iterable<{ readonly operation: string; readonly status: number; readonly count: number }>
}

/** A call to a path that no operation owns. */
const noOperation = 'none'

export function createCallCounts(): CallCounts {
  // Operations and statuses are few, whatever clients send.
  const byOperation = new Map<string, Map<number, number>>()
  return {
    count(operation = noOperation, status) {
      let byStatus = byOperation.get(operation)
      if (byStatus === undefined) byOperation.set(operation, (byStatus = new Map()))
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    },
    *entries() {
      for (const [operation, byStatus] of byOperation)
        for (const [status, count] of byStatus) yield { operation, status, count }
    },
  }
}
