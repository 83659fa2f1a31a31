/** The simulator's own API under `/__sim`, in the same endpoint shape as the service. */
import { defineGroup, type Endpoint, type EndpointGroup } from '../protocol/endpoint.ts'
import type { ControlApiParts } from './control.ts'
import { healthEndpoints } from './health.ts'
import { metricsEndpoint } from './metrics.ts'
import { refusalOf } from './permission.ts'
import { bugProblem, problemOf } from './problem.ts'
import { resetEndpoints } from './reset.ts'
import { sessionControlEndpoints } from './session-controls.ts'
import { sessionEndpoints } from './sessions.ts'

/** Watchers of processes ask these, and know no token. */
const openToAll: ReadonlySet<string> = new Set(['sim.health', 'sim.ready'])

/** The control endpoints over a simulator. */
export function controlGroup(parts: ControlApiParts): EndpointGroup {
  const { enabled, prefix } = parts.settings.control
  const controls = sessionControlEndpoints(parts)
  const isClock = ({ path }: Endpoint): boolean => path.startsWith('/__sim/clock')
  // In the order of the published contract.
  const endpoints = [
    ...healthEndpoints(parts),
    metricsEndpoint(parts),
    ...controls.filter(isClock),
    ...sessionEndpoints(parts),
    ...controls.filter((endpoint) => !isClock(endpoint)),
    ...resetEndpoints(parts),
  ]
  return defineGroup({
    name: 'control',
    credentials: [],
    internal: true,
    ...(enabled ? { under: prefix } : {}),
    endpoints: enabled ? endpoints.map((endpoint) => placed(endpoint, prefix, parts)) : [],
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

function placed(endpoint: Endpoint, prefix: string, parts: ControlApiParts): Endpoint {
  return {
    ...endpoint,
    path: endpoint.path.replace('/__sim', prefix),
    checkHeaders(headers) {
      const refusal = openToAll.has(endpoint.operation) ? undefined : refusalOf(headers, parts)
      if (refusal !== undefined) throw refusal
    },
  }
}
