/** `gateway-sim/vitest`: matchers for what the gateway received. */
import { expect } from 'vitest'
import { matchers } from './matchers.ts'

export type { GatewayMatchers } from './matcher-types.ts'

expect.extend(matchers)

export { expect }
