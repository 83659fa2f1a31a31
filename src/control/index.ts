/** The control API under `/__sim`, declared as endpoints like those of the service. */

import * as z from 'zod'
import type { Health } from '../generated/control-types.ts'
import { defineEndpoint, defineGroup, type Endpoint, type EndpointGroup } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { json } from '../protocol/response.ts'
import { implementations } from '../sessions/controls/all.ts'
import {
  at,
  type Control,
  type ControlContext,
  type ControlEndpoint,
  type ControlParts,
  type Implementation,
  mapControls,
} from '../sessions/controls/control.ts'
import { scenariosOf } from '../sessions/controls/scenarios.ts'
import { controls } from '../sessions/controls/table.ts'
import { sentScenario } from '../sessions/options.ts'
import { rejectingErrors } from '../sessions/session-errors.ts'
import { breakpointEndpoints } from './breakpoint-endpoints.ts'
import { capabilitiesEndpoint } from './capabilities.ts'
import { aboutNoSession, type ControlApiParts, maxScenarioBody, own } from './control.ts'
import { rejectionOf } from './guard.ts'
import { liveEndpoint } from './live.ts'
import { mediaEndpoint } from './media.ts'
import { metricsEndpoint } from './metrics.ts'
import { bugProblem, problemOf } from './problem.ts'
import { sessionEndpoints } from './sessions.ts'
import { traceEndpoint } from './trace.ts'

/**
 * `sim.health` and `sim.ready` respond to all clients, such as process managers. Only clients that may use
 * the rest of the control API get the counts.
 */
export const healthSchema = () =>
  z.strictObject({
    status: z.literal('ok').describe('The simulator responds.'),
    sessions: z.int().optional().describe('The number of sessions.'),
    session: z.string().describe('The name of the requested session; `default` if it does not exist.'),
    requests: z.int().optional().describe('The number of requests that the session has received.'),
    resources: z
      .int()
      .optional()
      .describe('The number of jobs and of responses with image URLs in the session.'),
    scenarios: z.array(z.string()).optional().describe('The titles of the scenarios in use.'),
    evicted: z
      .int()
      .optional()
      .describe('How many sessions, and things in sessions, had to make room since the start.'),
    loop: z
      .strictObject({
        maxDelayMs: z.int().describe('The longest delay since the start.'),
        maxDelayMsLastMinute: z.int().describe('The longest delay in the last minute.'),
        lateAt: z.iso
          .datetime()
          .nullable()
          .describe('The wall-clock time of the last delay of 200 ms or more; null if there was none.'),
      })
      .optional()
      .describe('The lag of the event loop, which delays every request. Only for standalone servers.'),
  })

function healthEndpoints(parts: ControlApiParts): readonly Endpoint[] {
  const health = defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.health',
    method: 'GET',
    path: '/__sim/health',
    summary: 'Get health, resource counts and event-loop lag',
    accepts: [],
    response: healthSchema,
    act({ headers }, { sandbox }) {
      const session = sandbox.name
      if (rejectionOf(headers, parts) !== undefined) return json({ status: 'ok', session })
      return json({
        status: 'ok',
        sessions: parts.sessions.count,
        session,
        requests: parts.sessions.get(session).sandbox.journal.total,
        resources: sandbox.store.size,
        scenarios: scenariosOf(parts.sessions.get(session)).map(({ scenario }) => scenario.spec.title),
        evicted: parts.evictions.count,
        ...loopOf(parts),
      })
    },
  })
  const ready = defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.ready',
    method: 'GET',
    path: '/__sim/ready',
    summary: 'Check readiness, for startup scripts',
    accepts: [],
    response: () =>
      z.strictObject({ ready: z.literal(true).describe('The simulator is ready for requests.') }),
    act() {
      if (parts.isDraining()) throw drainingError()
      return json({ ready: true })
    },
  })
  return [health, ready]
}

/** The status that takes a server out of HAProxy (`disable-on-404`), and fails every other health check. */
const drainingError = (): ApiError =>
  new ApiError('not_found_error', 'The server is draining: it still accepts requests but stops soon.')

function loopOf({ process }: ControlApiParts): Pick<Health, 'loop'> {
  const loop = process()?.loop
  if (loop === undefined) return {}
  const { max, maxLastMinute, lateAt } = loop
  return {
    loop: {
      maxDelayMs: Math.round(max),
      maxDelayMsLastMinute: Math.round(maxLastMinute),
      lateAt: lateAt === undefined ? null : new Date(lateAt).toISOString(),
    },
  }
}

/** For process managers, which have no token. */
const openToAll: ReadonlySet<string> = new Set(['sim.health', 'sim.ready'])

/** The control endpoints over a simulator. */
export function controlGroup(parts: ControlApiParts): EndpointGroup {
  const controls = sessionControlEndpoints(parts)
  const isClock = ({ path }: Endpoint): boolean => path.startsWith('/__sim/clock')
  // In the order of the published contract.
  const endpoints = [
    ...healthEndpoints(parts),
    metricsEndpoint(parts),
    liveEndpoint(parts),
    capabilitiesEndpoint(parts),
    mediaEndpoint(parts),
    traceEndpoint(parts),
    ...controls.filter(isClock),
    ...sessionEndpoints(parts),
    ...controls.filter((endpoint) => !isClock(endpoint)),
    ...breakpointEndpoints(parts),
    ...resetEndpoints(parts),
  ]
  return defineGroup({
    name: 'control',
    credentials: [],
    internal: true,
    under: controlPrefix,
    endpoints: endpoints.map((endpoint) => placed(endpoint, parts)),
    renderError: (error, { requestId }) => ({
      body: problemOf(error, requestId),
      headers: { 'content-type': 'application/problem+json' },
    }),
    renderBug: (message, { requestId }) => ({
      body: bugProblem(message, requestId),
      headers: { 'content-type': 'application/problem+json' },
    }),
  })
}

function placed(endpoint: Endpoint, parts: ControlApiParts): Endpoint {
  return {
    ...endpoint,
    checkHeaders(headers) {
      const isGet = endpoint.method === 'GET'
      const rejection = openToAll.has(endpoint.operation)
        ? undefined
        : rejectionOf(headers, { ...parts, isGet })
      if (rejection !== undefined) throw rejection
    },
  }
}

/** `sim.reset`. */
function resetEndpoints({ sessions }: ControlParts): readonly Endpoint[] {
  const reset = defineEndpoint({
    ...own,
    operation: 'sim.reset',
    method: 'POST',
    path: '/__sim/reset',
    summary: 'Reset the session, or all sessions, to the initial state; open streams end with an error',
    accepts: ['json'],
    bodyOptional: true,
    body: () =>
      z.strictObject({
        all: z
          .boolean()
          .optional()
          .describe('Whether to reset all sessions instead of this session only. Default: false.'),
      }),
    response: () =>
      z.strictObject({ reset: z.array(z.string()).describe('The names of the sessions that were reset.') }),
    act({ body }, { sandbox }) {
      const names = body.all === true ? sessions.all().map((session) => session.sandbox.name) : [sandbox.name]
      for (const name of names) sessions.reset(name)
      return json({ reset: names })
    },
  })
  return [reset]
}

/** Every control with an endpoint, in the order of the table. */
function sessionControlEndpoints(parts: ControlParts): readonly Endpoint[] {
  const endpoints: Endpoint[] = []
  mapControls(controls, (control, place) => {
    const { act, endpoint } = at(implementations, place) as Implementation
    if (endpoint !== undefined) endpoints.push(serve(control, act, endpoint, parts))
    return act
  })
  return endpoints
}

function serve(
  { method, path, field }: Pick<Control<never>, 'method' | 'path' | 'field'>,
  act: Implementation['act'],
  { argument = (body: unknown) => body, serve: own_, status = 200, ...described }: ControlEndpoint,
  parts: ControlParts,
): Endpoint {
  const { query, body } = described
  return defineEndpoint({
    ...own,
    ...described,
    method,
    path: `/__sim${path}`,
    accepts: body === undefined ? [] : ['json'],
    ...(body === sentScenario ? { maxBody: maxScenarioBody } : {}),
    act(call, { sandbox, facilities }) {
      const context: ControlContext = { session: parts.sessions.get(sandbox.name), parts, caller: 'http' }
      if (own_ !== undefined) return own_(context, call as never, facilities)
      const given: unknown[] = Object.values(call.params)
      if (body !== undefined) given.push(argument(call.body as never))
      else if (query !== undefined) given.push(call.query)
      const result = rejectingErrors(() => act(context, ...given))
      return json(field === undefined ? result : { [field]: result }, { status })
    },
  })
}
