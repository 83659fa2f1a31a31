/** What the endpoints of the control API share: what they are handed, and how they are declared. */
import type { ProcessFacts, Traffic } from '../protocol/traffic.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import type { Guard } from './guard.ts'

/** What the control API acts on. */
export interface ControlApiParts extends ControlParts {
  /** What a call must carry; undefined when it needs nothing. */
  token(): string | undefined
  readonly guard: Guard
  /** What is on its way between the clients and the simulator. */
  readonly traffic: Traffic
  /** Undefined while metrics are off. */
  readonly metrics: Metrics | undefined
  /** What a server says of its process; undefined where none has this one to itself. */
  process(): ProcessFacts | undefined
}

/** The most bytes that the body of a control may have: a fault, a change, what is to be verified. */
const maxControlBody = 256 * 1024

/** The same of a control that takes scenarios. */
export const maxScenarioBody = 4 * 1024 * 1024

/** How every operation of the control API is declared. */
export const own = {
  maxBody: maxControlBody,
  open: true,
  extension: 'the control API of the simulator',
  declaresJson: true,
} as const

/** Of an operation that needs no session: whatever a call of it names, it creates none. */
export const aboutNoSession = { unknownSession: () => 'ignore' as const }

/** What is counted while metrics are on. */
export interface Metrics {
  readonly calls: ReturnType<typeof createCallCounts>
  /** Milliseconds since the epoch by the wall clock. */
  readonly startedAt: number
  wall(): number
  conditionsEvaluated(): number
}

/** A call to a path that no operation owns. */
const noOperation = 'none'

export function createCallCounts() {
  // Operations and statuses are few, whatever clients send.
  const byOperation = new Map<string, Map<number, number>>()
  return {
    count(operation: string | undefined = noOperation, status: number): void {
      let byStatus = byOperation.get(operation)
      if (byStatus === undefined) byOperation.set(operation, (byStatus = new Map()))
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    },
    *entries(): Generator<{ readonly operation: string; readonly status: number; readonly count: number }> {
      for (const [operation, byStatus] of byOperation)
        for (const [status, count] of byStatus) yield { operation, status, count }
    },
  }
}
