/** What the endpoints of the control API share: what they are handed, and how they are declared. */
import type { ProcessFacts } from '../protocol/process-facts.ts'
import type { Traffic } from '../protocol/reply-size.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import type { Metrics } from './call-counts.ts'
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
