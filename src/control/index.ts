/** The simulator's own API under `/__sim`, in the same endpoint shape as the service. */
import { defineGroup, type Endpoint, type EndpointGroup } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import type { ControlApiParts } from './control.ts'
import { healthEndpoints } from './health.ts'
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

function placed(endpoint: Endpoint, prefix: string, { token }: ControlApiParts): Endpoint {
  return {
    ...endpoint,
    path: endpoint.path.replace('/__sim', prefix),
    checkHeaders(headers) {
      const wanted = token()
      if (wanted === undefined || openToAll.has(endpoint.operation)) return
      const given = headers['x-sim-token'] ?? /^bearer +(.+)$/i.exec(headers['authorization'] ?? '')?.[1]
      if (given !== undefined && same(given, wanted)) return
      throw new ApiError(
        'authentication_error',
        [
          'The control API of this simulator needs its token: send `authorization: Bearer <token>`',
          'or `x-sim-token: <token>`',
          `(${given === undefined ? 'no token was sent' : 'the one that was sent is another'}).`,
          '`gateway-sim serve` prints it when it is ready.',
        ].join(' '),
      )
    },
  }
}

// In the same time wherever they differ: how far a guess was right must not show.
function same(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ wanted.charCodeAt(at % wanted.length)
  return difference === 0
}
