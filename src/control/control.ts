/** What the endpoints of the control API share: their parts and their declaration. */
import type { ControlParts } from '../sessions/controls/control.ts'
import type { Breakpoints } from './breakpoints.ts'
import type { Guard } from './guard.ts'

/** What the control API acts on. */
export interface ControlApiParts extends ControlParts {
  /** The token that requests must carry; undefined if none is required. */
  token(): string | undefined
  readonly guard: Guard
  readonly breakpoints: Breakpoints
  /** Milliseconds since the epoch by the wall clock. */
  wall(): number
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
