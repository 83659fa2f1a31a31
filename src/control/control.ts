/** What the endpoints of the control API share: their parts and their declaration. */
import type { Exchange } from '../exchange/exchange.ts'
import type { ProcessFacts, Traffic } from '../protocol/traffic.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import type { Breakpoints } from './breakpoints.ts'
import type { Guard } from './guard.ts'

/** What the control API acts on. */
export interface ControlApiParts extends ControlParts {
  /** The token that requests must carry; undefined if none is required. */
  token(): string | undefined
  readonly guard: Guard
  readonly breakpoints: Breakpoints
  /** Bytes in transit between the clients and the simulator. */
  readonly traffic: Traffic
  readonly metrics: Metrics
  /** Milliseconds since the epoch by the wall clock. */
  wall(): number
  /** Facts about the process; undefined unless a server has the process to itself. */
  process(): ProcessFacts | undefined
  /** Whether the server ends soon: load balancers must send it no new sessions. */
  isDraining(): boolean
}

/** The maximum body of a control, in bytes: an override, a change, a verification. */
const maxControlBody = 256 * 1024

/** How every operation of the control API is declared. */
export const own = {
  maxBody: maxControlBody,
  open: true,
  extension: 'the control API of the simulator',
  declaresJson: true,
} as const

/** For operations that need no session: a request never creates one. */
export const aboutNoSession = { unknownSession: () => 'ignore' as const }

/** What the metrics count. */
export interface Metrics {
  readonly calls: ReturnType<typeof createCallCounts>
  /** Milliseconds since the epoch by the wall clock. */
  readonly startedAt: number
  wall(): number
  conditionsEvaluated(): number
}

/** A request to an unknown path. */
const noOperation = 'none'

export function createCallCounts() {
  // Bounded: clients cannot add operations or statuses.
  const byOperation = new Map<string, Map<number, number>>()
  return {
    count({ operation = noOperation, response }: Pick<Exchange, 'operation' | 'response'>): void {
      const status = response?.status ?? 0
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
