/** `sim.getTrace`: the sessions as one file of data, from which the page shows them without a server. */

import * as z from 'zod'
import { defineEndpoint, type Endpoint, loaded } from '../protocol/endpoint.ts'
import { text } from '../sessions/controls/fields.ts'
import type { traceJson } from '../trace/collect-trace.ts'
import { aboutNoSession, type ControlApiParts, own } from './control.ts'

export function traceEndpoint(parts: ControlApiParts): Endpoint {
  return defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.getTrace',
    method: 'GET',
    path: '/__sim/trace',
    summary:
      'Get journals, jobs, clocks, rules, client reports and explanations of all sessions, at most 2.5 MB',
    accepts: [],
    query: () =>
      z.strictObject({
        session: text('The session to include. Default: all sessions.').optional(),
      }),
    needs: () => ['trace'],
    act({ query: { session } }, { facilities }) {
      const textOf = loaded(facilities, 'trace') as typeof traceJson
      const sessions = parts.sessions
        .all()
        .filter(({ sandbox }) => session === undefined || sandbox.name === session)
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { kind: 'text', text: textOf([{ sessions, parts }], { savedAt: parts.wall() }) },
      }
    },
  })
}
