/** `unusedRules`: the rules of scenarios that have answered no call of a session. */
import * as z from 'zod'
import { unusedRules as unusedOf } from '../../verify/unused-rules.ts'
import type { Implementation } from './control.ts'

/** @internal */
export const unusedRules: Implementation<() => readonly string[]> = {
  act: ({ session: { rules, world }, parts }) => {
    const sets = [...rules.scenarios, ...[parts.script() ?? []].flat()]
    return unusedOf(
      sets.flatMap(({ composed }) => composed.rules),
      [world],
    )
  },
  endpoint: {
    operation: 'sim.unusedRules',
    summary: 'The rules that have answered no call of the session so far',
    reply: z.strictObject({ rules: z.array(z.string()).describe('Their ids.') }),
  },
}
