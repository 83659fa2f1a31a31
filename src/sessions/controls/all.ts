/** What each control of the table does. */

import { clientReport, explainCall, journal, safeVerify, settled, unusedRules, verify } from './calls.ts'
import { advance, clock } from './clock.ts'
import type { Implementations } from './control.ts'
import { faults } from './faults.ts'
import { scenarios } from './scenarios.ts'
import { state } from './state.ts'
import type { controls } from './table.ts'

/** @internal */
export const implementations: Implementations<typeof controls> = {
  clock: { ...clock, advance },
  scenarios,
  faults,
  state,
  journal,
  explainCall,
  verify,
  safeVerify,
  unusedRules,
  clientReport,
  settled,
}
