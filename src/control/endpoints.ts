/** A URL for each control of a table. */
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { json } from '../protocol/response.ts'
import {
  type AnyControl,
  type AnyFunction,
  at,
  type ControlContext,
  type ControlParts,
  type Implementation,
  listControls,
} from '../sessions/controls/control.ts'
import { rejectingErrors } from '../sessions/session-errors.ts'
import { own } from './control.ts'

/** The endpoints of all controls that have one, in the order of the table. */
export function controlEndpoints<Parts extends ControlParts>(
  table: object,
  implemented: object,
  parts: Parts,
): readonly Endpoint[] {
  return listControls(table).flatMap(([control, place]) => {
    const implementation = at(implemented, place) as Implementation<AnyFunction, Parts>
    return implementation.endpoint === undefined ? [] : serve(control, implementation, parts)
  })
}

function serve<Parts extends ControlParts>(
  { method, path, field, waits }: AnyControl,
  { act, endpoint }: Implementation<AnyFunction, Parts>,
  parts: Parts,
): Endpoint {
  const {
    serve: respond,
    status = 200,
    links = false,
    ...described
  } = endpoint as NonNullable<typeof endpoint>
  const { query, body } = described
  return defineEndpoint({
    ...own,
    ...described,
    ...(waits === true ? { waitsForInFlight: true } : {}),
    method,
    path: `${controlPrefix}${path}`,
    accepts: body === undefined ? [] : ['json'],
    act(call, { sandbox, facilities }) {
      const context: ControlContext<Parts> = {
        session: parts.sessions.get(sandbox.name),
        parts,
        caller: 'http',
      }
      if (respond !== undefined) return respond(context, call as never, facilities)
      const given: unknown[] = Object.values(call.params)
      if (body !== undefined) given.push(call.body)
      else if (query !== undefined) given.push(call.query)
      const result = rejectingErrors(() => act(context, ...given))
      return json(field === undefined ? result : { [field]: result }, { status, links })
    },
  })
}
