/** Whether a call may use the control API: by its token where there is one, else by who sends it. */
import { ApiError } from '../protocol/errors.ts'
import type { ControlApiParts } from './control.ts'

/**
 * Why a call with these headers may not; undefined when it may. Who knows the token may call from anywhere: a
 * page cannot know it, and is kept from reading the replies unless its origin is allowed.
 */
export function refusalOf(
  headers: Readonly<Record<string, string | undefined>>,
  { token, guard }: Pick<ControlApiParts, 'token' | 'guard'>,
): ApiError | undefined {
  const wanted = token()
  if (wanted === undefined) return guard.refusal(headers)
  const given = headers['x-sim-token'] ?? /^bearer +(.+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (given !== undefined && same(given, wanted)) return undefined
  return new ApiError(
    'authentication_error',
    [
      'The control API of this simulator needs its token: send `authorization: Bearer <token>`',
      'or `x-sim-token: <token>`',
      `(${given === undefined ? 'no token was sent' : 'the one that was sent is another'}).`,
      '`gateway-sim serve` prints the one it has generated, and never one that was set.',
    ].join(' '),
  )
}

// In the same time wherever they differ: how far a guess was right must not show.
function same(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ wanted.charCodeAt(at % wanted.length)
  return difference === 0
}
