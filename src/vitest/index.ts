/** `gateway-sim/vitest`: a session of the simulator in each test, and matchers for what it received. */
import { expect } from 'vitest'
import { matchers } from './matchers.ts'

export type { FailOn } from './complaints.ts'
export { type GatewayFixtures, type GatewayTest, OverlookedError, test, test as it } from './fixtures.ts'
export type { GatewayMatchers } from './matcher-types.ts'
export type { ConductOptions, OrderOptions, ReceivedOptions } from './matchers.ts'
export type { TestScenario, TestSession } from './test-session.ts'

expect.extend(matchers)

export { expect }
