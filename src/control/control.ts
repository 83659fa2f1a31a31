/** What the endpoints of the control API share: what they are handed, and how they are declared. */
import type { ControlParts } from '../sessions/controls/control.ts'

/** What the control API acts on. */
export interface ControlApiParts extends ControlParts {
  /** What a call must carry; undefined when it needs nothing. */
  token(): string | undefined
}

/** How every operation of the control API is declared. */
export const own = {
  open: true,
  extension: 'the control API of the simulator',
  anyContentType: true,
} as const
