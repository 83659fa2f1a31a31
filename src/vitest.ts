/** `gateway-sim/vitest`: a session of the simulator in each test, trials, and matchers for both. */
import { expect } from './vitest/fixtures.ts'
import { matchers } from './vitest/matchers.ts'
import { trialMatchers } from './vitest/trial-matchers.ts'

export * from './trial.ts'
export {
  type GatewayFixtures,
  type GatewayTest,
  test,
  test as it,
  UnassertedError,
} from './vitest/fixtures.ts'
export type {
  ClientReportOptions,
  GatewayMatchers,
  OrderOptions,
  ReceivedOptions,
} from './vitest/matchers.ts'
export type { TestScenario, TestSession } from './vitest/test-session.ts'
export type { TrialMatchers } from './vitest/trial-matchers.ts'
export type { FailOn } from './vitest/watched-session.ts'

expect.extend({ ...matchers, ...trialMatchers })

export { expect }
