/** `reset`: puts sessions back to their initial state. */

import * as z from 'zod'
import type { Implementations } from './control.ts'
import { flag } from './fields.ts'
import type { controls } from './table.ts'

/** @internal */
export const reset: Implementations<typeof controls>['reset'] = {
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
