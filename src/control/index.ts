/** The control API under `/__sim`, declared as endpoints like those of the service. */
import { defineGroup, type Endpoint, type EndpointGroup } from '../protocol/endpoint.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { implementations } from '../sessions/controls/all.ts'
import type { Implementations } from '../sessions/controls/control.ts'
import { controls } from '../sessions/controls/table.ts'
import { breakpoints } from './breakpoint-controls.ts'
import type { ControlApiParts } from './control.ts'
import { controlEndpoints } from './endpoints.ts'
import { rejectionOf } from './guard.ts'
import { health } from './health.ts'
import { liveEndpoint } from './live.ts'
import { bugProblem, problemOf } from './problem.ts'
import { sessions } from './sessions.ts'
import { serverControls } from './table.ts'
import { traceEndpoint } from './trace.ts'

/** The implementation of each control of a server. */
const serverImplementations: Implementations<typeof serverControls, ControlApiParts> = {
  ...health,
  sessions,
  breakpoints,
}

/** For process managers, which have no token. */
const openToAll: ReadonlySet<string> = new Set(['sim.health', 'sim.ready'])

/** The control endpoints over a simulator. */
export function controlGroup(
  parts: ControlApiParts,
  table: object = controls,
  implemented: object = implementations,
): EndpointGroup {
  const endpoints = [
    ...controlEndpoints(serverControls, serverImplementations, parts),
    // What returns no JSON.
    liveEndpoint(parts),
    traceEndpoint(parts),
    ...controlEndpoints(table, implemented, parts),
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
