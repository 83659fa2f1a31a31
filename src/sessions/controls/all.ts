/** What each control of the table does. */
import { advance } from './advance.ts'
import { clientReport } from './client-report.ts'
import { clock } from './clock.ts'
import type { Implementations } from './control.ts'
import { explainCall } from './explain-call.ts'
import { faults } from './faults.ts'
import { journal } from './journal.ts'
import { scenarios } from './scenarios.ts'
import { settled } from './settled.ts'
import { state } from './state.ts'
import type { controls } from './table.ts'
import { unusedRules } from './unused-rules.ts'
import { safeVerify, verify } from './verify.ts'

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
