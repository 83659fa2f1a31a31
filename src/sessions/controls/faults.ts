/** `faults`: what goes wrong in a session before any rule is asked. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import type { FaultState } from '../../generated/control-types.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'
import { usageOf } from '../../scenario/director.ts'
import type { ArmedFault } from '../rules.ts'
import { refusingMistakes } from '../session-errors.ts'
import type { Session } from '../sessions.ts'
import type { Implementations } from './control.ts'
import type { controls } from './table.ts'

const fields = lazy(() => z.record(z.string(), z.unknown()))

/** @internal */
export const faultSchema = lazy(() =>
  z.strictObject({
    id: z.string().describe('Its name.'),
    when: fields().describe('The calls it applies to, as in `when` of a scenario rule.'),
    then: fields().describe('What those calls get, as in `then` of a scenario rule.'),
    met: z.int().describe('How many calls matched `when` and were not answered by an earlier fault.'),
    answered: z.int().describe('How many calls it has answered.'),
    left: z.int().nullable().describe('How many more calls it can answer; null if unlimited.'),
    until: z.iso
      .datetime()
      .nullable()
      .describe('The virtual instant at which it expires; null if it does not.'),
    live: z.boolean().describe('Whether it can still answer calls: neither used up nor expired.'),
  }),
)

/** The faults that are armed; the one that is tried first stands first. */
function listFaults(session: Session): FaultState[] {
  return session.rules.armed.map((fault) => stateOfFault(fault, session))
}

/** Takes one away. Throws `ApiError` (404) for an unknown name. */
function disarmFault(session: Session, id: string): FaultState {
  const fault = session.rules.armed.find((armed) => armed.id === id)
  if (fault === undefined)
    throw new ApiError(
      'not_found_error',
      `There is no fault ${JSON.stringify(clip(id, 80))} in the session "${session.world.name}": ` +
        'faults.list() (GET /__sim/faults) lists those that are armed.',
      { param: 'id' },
    )
  const state = stateOfFault(fault, session)
  session.rules.disarm(id)
  return state
}

function stateOfFault({ id, when, then, count, until }: ArmedFault, { world }: Session): FaultState {
  const { met, answered } = usageOf(world, id)
  const left = count === undefined ? null : Math.max(0, count - answered)
  return {
    id,
    when,
    then,
    met,
    answered,
    left,
    until: until === undefined ? null : new Date(until).toISOString(),
    live: left !== 0 && (until === undefined || world.clock.now() < until),
  }
}

/** A place in the rule that a fault becomes, as the caller has written it. */
function asSent(field: string): string {
  return field
    .replace(/^rules\[0\]\.?/, '')
    .replace(/^then\.fault/, 'fault')
    .replace(/^when\.times/, 'count')
}

const listSchema = lazy(() =>
  z.strictObject({
    faults: z.array(faultSchema()).describe('The faults; the one that is asked first stands first.'),
  }),
)

/** @internal */
export const faults: Implementations<(typeof controls)['faults']> = {
  arm: {
    act: ({ session }, request) =>
      refusingMistakes(() => stateOfFault(session.rules.arm(request, session.world), session), asSent),
    endpoint: {
      operation: 'sim.armFault',
      summary: 'Arms a fault in front of all rules of the session',
      body: () =>
        z.strictObject({
          id: z
            .string()
            .min(1)
            .max(200)
            .optional()
            .describe(
              'Its name, which is then the rule that replies and journal name; `armed-1` and so on when ' +
                'left out.',
            ),
          when: fields()
            .optional()
            .describe('Which calls, as `when` of a rule (schema/scenario.schema.json); all when left out.'),
          fault: z
            .unknown()
            .optional()
            .describe(
              'One fault of the catalogue (docs/reference/faults.md) or a list: a word, or `{ kind, … }`.',
            ),
          then: fields().optional().describe('Any answer of a rule, instead of `fault`.'),
          count: z
            .int()
            .min(1)
            .optional()
            .describe('How often it answers; until it is cleared when left out.'),
          ttl: z
            .union([z.string(), z.number()])
            .optional()
            .describe('How long it stands, in virtual time: a duration such as 30s, or milliseconds.'),
        }),
      reply: faultSchema,
      status: 201,
    },
  },
  list: {
    act: ({ session }) => listFaults(session),
    endpoint: {
      operation: 'sim.listFaults',
      summary: 'The faults that are armed, with how often each has answered',
      reply: listSchema,
    },
  },
  clear: {
    act({ session }) {
      const states = listFaults(session)
      session.rules.clearFaults()
      return states
    },
    endpoint: {
      operation: 'sim.clearFaults',
      summary: 'Takes all armed faults away',
      reply: listSchema,
    },
  },
  remove: {
    act: ({ session }, id) => disarmFault(session, id),
    endpoint: {
      operation: 'sim.disarmFault',
      summary: 'Takes one armed fault away',
      reply: faultSchema,
    },
  },
}
