/**
 * How the matchers look to TypeScript. They answer at once for what is in this process, and later for a
 * session of a server: awaiting is right for both.
 */
import type { OperationPattern } from '../generated/scenario-input.ts'
import type { CallPattern } from '../verify/request.ts'
import type { ClientReportOptions, OrderOptions, ReceivedOptions } from './matchers.ts'

/** The matchers of `gateway-sim/vitest`. */
export interface GatewayMatchers {
  /**
   * The calls of an operation that are like this came: at least once, or as often as `times`, `atLeast`,
   * `atMost` say.
   */
  toHaveReceived(calls: OperationPattern | CallPattern, options?: ReceivedOptions): Promise<void>
  /** These calls came one after the other; others may stand between them. */
  toHaveReceivedInOrder(
    inOrder: readonly (OperationPattern | CallPattern)[],
    options?: OrderOptions,
  ): Promise<void>
  /** Every rule of the scenarios in use has answered a call. */
  toHaveUsedAllRules(): Promise<void>
  /**
   * The client used the contract as it is meant: no error and no warning of docs/client-report.md. Hints are let
   * pass.
   */
  toBeWellBehaved(options?: ClientReportOptions): Promise<void>
}

declare module 'vitest' {
  // The name of the parameter is vitest's, and so is its default.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unused-vars
  interface Matchers<T = any> extends GatewayMatchers {}
}
