/**
 * The types of the matchers. They are synchronous for a simulator in this process and asynchronous for a
 * server; `await` works for both.
 */
import type { OperationPattern } from '../generated/scenario-input.ts'
import type { CallPattern } from '../verify/request.ts'
import type { ClientReportOptions, OrderOptions, ReceivedOptions } from './matchers.ts'

/** The matchers of `gateway-sim/vitest`. */
export interface GatewayMatchers {
  /**
   * Expects matching calls of an operation: at least one, or as many as `times`, `atLeast` and `atMost` say.
   */
  toHaveReceived(calls: OperationPattern | CallPattern, options?: ReceivedOptions): Promise<void>
  /** Expects these calls in this order; other calls may come in between. */
  toHaveReceivedInOrder(
    inOrder: readonly (OperationPattern | CallPattern)[],
    options?: OrderOptions,
  ): Promise<void>
  /** Expects every rule of the scenarios in use to have answered a call. */
  toHaveUsedAllRules(): Promise<void>
  /** Expects a client report without errors and warnings (docs/client-report.md). Hints are allowed. */
  toBeWellBehaved(options?: ClientReportOptions): Promise<void>
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it with this parameter and default
  interface Matchers<T = any> extends GatewayMatchers {}
}
