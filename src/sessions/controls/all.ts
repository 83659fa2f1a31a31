/** What each control of the table does. */
import { calls } from './calls.ts'
import { clock } from './clock.ts'
import type { Implementations } from './control.ts'
import { faults } from './faults.ts'
import { scenarios } from './scenarios.ts'
import { state } from './state.ts'
import type { controls } from './table.ts'

/** @internal */
export const implementations: Implementations<typeof controls> = { clock, scenarios, faults, state, ...calls }
