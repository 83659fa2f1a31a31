/** What the endpoints of the control API share: what they are handed, and how they are declared. */
import type { ControlParts } from '../sessions/controls/control.ts'
import type { Guard } from './guard.ts'

/** What the control API acts on. */
export interface ControlApiParts extends ControlParts {
  /** What a call must carry; undefined when it needs nothing. */
  token(): string | undefined
  readonly guard: Guard
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
