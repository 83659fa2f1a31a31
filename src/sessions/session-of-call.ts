/** Which session a call names: by its address, a header, its key, or an id that carries one. */
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { sessionInKey } from './session-name.ts'

/** The name that a call gives its session; undefined when it gives none. @internal */
export function sessionNamedBy(call: IncomingCall, key: string | undefined): string | undefined {
  if (call.session !== undefined) return call.session
  const header = call.headers['x-sim-session']
  if (header !== undefined && header !== '') return header
  return key?.startsWith('sk-sim-') === true ? sessionInKey(key) : undefined
}

/** The values of a call that may be ids of a session: path parameters first, then the body. @internal */
export function* idsOf(
  call: IncomingCall,
  endpoint: Endpoint | undefined,
  params: Readonly<Record<string, string>>,
): Generator<unknown> {
  if (endpoint?.idsIn === undefined) return
  for (const name of endpoint.idsIn.params ?? [])
    yield endpoint.tail === true ? lastPart(params[name]) : params[name]
  const { payload } = call
  for (const name of endpoint.idsIn.body ?? []) {
    if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object')
      yield (payload.value as Record<string, unknown>)[name]
    if (payload.kind === 'form')
      for (const field of payload.fields) if (field.name === name && 'value' in field) yield field.value
  }
}

// What takes the rest of a path ends in the id.
const lastPart = (path: string | undefined): string | undefined => path?.slice(path.lastIndexOf('/') + 1)
