/** The controls of a session as endpoints: each at its address in the table. */
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
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
import { refusingMistakes } from '../sessions/controls/refusing-mistakes.ts'
import { controls } from '../sessions/controls/table.ts'
import { sentScenario } from '../sessions/options.ts'
import { maxScenarioBody, own } from './control.ts'

/** Every control that has an endpoint of its own, in the order of the table. */
export function sessionControlEndpoints(parts: ControlParts): readonly Endpoint[] {
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
    act(call, { world }) {
      const context: ControlContext = { session: parts.sessions.get(world.name), parts, caller: 'http' }
      if (own_ !== undefined) return own_(context, call as never)
      const last =
        body !== undefined ? [argument(call.body as never)] : query !== undefined ? [call.query] : []
      const result = refusingMistakes(() => act(context, ...Object.values(call.params), ...last))
      return json(field === undefined ? result : { [field]: result }, { status })
    },
  })
}
