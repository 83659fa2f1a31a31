/** The ids in a call, each of which may carry the tag of its session. */
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'

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
