/** The implementation of each control of the table. */
import * as z from 'zod'
import { calls } from './calls.ts'
import { clock } from './clock.ts'
import type { Implementations } from './control.ts'
import { flag } from './fields.ts'
import { jobs } from './jobs.ts'
import { overrides } from './overrides.ts'
import { scenarios } from './scenarios.ts'
import type { controls } from './table.ts'

/** Puts sessions back to their initial state. */
const reset: Implementations<typeof controls>['reset'] = {
  act({ session, parts: { sessions } }, { all = false } = {}) {
    const names = (all ? sessions.all() : [session]).map(({ sandbox }) => sandbox.name)
    for (const name of names) sessions.reset(name)
    return names
  },
  endpoint: {
    operation: 'sim.reset',
    summary: 'Reset the session, or all sessions, to the initial state; open streams end with an error',
    bodyOptional: true,
    body: () =>
      z.strictObject({
        all: flag('Whether to reset all sessions instead of this session only. Default: false.').optional(),
      }),
    response: () =>
      z.strictObject({ reset: z.array(z.string()).describe('The names of the sessions that were reset.') }),
  },
  tool: {
    name: 'reset',
    description: 'Reset the session: requests, jobs, faults, loaded scenarios and clock.',
    destructive: true,
    input: () => z.strictObject({}),
    arguments: () => [],
    print: ([name]: readonly string[]) => `The session ${name} is in its initial state.`,
  },
}

/** @internal */
export const implementations: Implementations<typeof controls> = {
  clock,
  scenarios,
  overrides,
  jobs,
  ...calls,
  reset,
}
