/** `gateway-sim/vitest`: a session of the simulator in each test, and matchers for what it received. */
import { expect } from 'vitest'
import { matchers } from './vitest/matchers.ts'

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
export type { FailOn } from './vitest/watched-session.ts'

expect.extend(matchers)

export { expect }
