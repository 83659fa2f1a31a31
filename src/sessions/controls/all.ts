/** The implementation of each control of the table. */
import { calls } from './calls.ts'
import { clock } from './clock.ts'
import type { Implementations } from './control.ts'
import { jobs } from './jobs.ts'
import { overrides } from './overrides.ts'
import { reset } from './reset.ts'
import { scenarios } from './scenarios.ts'
import type { controls } from './table.ts'

/** @internal */
export const implementations: Implementations<typeof controls> = {
  clock,
  scenarios,
  overrides,
  jobs,
  ...calls,
  reset,
}
