/** `sim.health` and `sim.ready`, which respond to all clients, such as process managers. */

import * as z from 'zod'
import type { Health } from '../generated/control-types.ts'
import { json } from '../protocol/response.ts'
import type { ControlContext, Implementations } from '../sessions/controls/control.ts'
import { int, text } from '../sessions/controls/fields.ts'
import { scenariosOf } from '../sessions/controls/scenarios.ts'
import { aboutNoSession, type ControlApiParts } from './control.ts'
import { rejectionOf } from './guard.ts'
import type { serverControls } from './table.ts'

/** Only clients that may use the rest of the control API get the counts. */
export const healthSchema = () =>
  z.strictObject({
    status: z.literal('ok').describe('The simulator responds.'),
    sessions: int('The number of sessions.').optional(),
    session: text('The name of the requested session; `default` if it does not exist.'),
    requests: int('The number of requests that the session has received.').optional(),
    resources: int('The number of jobs and of responses with image URLs in the session.').optional(),
    scenarios: z.array(z.string()).optional().describe('The titles of the scenarios in use.'),
    evicted: int('How many sessions, and things in sessions, had to make room since the start.').optional(),
  })

function healthOf({ session, parts }: ControlContext<ControlApiParts>): Health {
  const { sandbox } = session
  return {
    status: 'ok',
    sessions: parts.sessions.count,
    session: sandbox.name,
    requests: sandbox.journal.total,
    resources: sandbox.store.size,
    scenarios: scenariosOf(session).map(({ scenario }) => scenario.spec.title),
    evicted: parts.evictions.count,
  }
}

export const health: Implementations<Pick<typeof serverControls, 'health' | 'ready'>, ControlApiParts> = {
  health: {
    act: healthOf,
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.health',
      summary: 'Get health and resource counts',
      response: healthSchema,
      serve(context, { headers }) {
        const isAllowed = rejectionOf(headers, context.parts) === undefined
        return json(isAllowed ? healthOf(context) : { status: 'ok', session: context.session.sandbox.name })
      },
    },
  },
  ready: {
    act: () => ({ ready: true }),
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.ready',
      summary: 'Check readiness, for startup scripts',
      response: () =>
        z.strictObject({ ready: z.literal(true).describe('The simulator is ready for requests.') }),
    },
  },
}
