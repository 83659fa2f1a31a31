/** How calls are refused for the session that they name. */
import { ApiError } from '../protocol/errors.ts'

/** The refusal of a call to a session that was discarded. @internal */
export function discardedError({ name, why }: { readonly name: string; readonly why: string }): ApiError {
  const quoted = JSON.stringify(name)
  return new ApiError(
    'invalid_request_error',
    [
      `The session ${quoted} no longer exists: ${why}.`,
      `Create it again, with sim.createSession({ name: ${quoted} }) or POST /__sim/sessions; its contents`,
      'are lost.',
    ].join(' '),
  )
}

/** The refusal to create a session under a name that is in use. @internal */
export function takenError(name: string): ApiError {
  return new ApiError(
    'invalid_request_error',
    [
      `The session ${JSON.stringify(name)} already exists: choose another name,`,
      `or dispose of it first (its dispose(), or DELETE /__sim/sessions/${name}).`,
    ].join(' '),
    { param: 'name', status: 409 },
  )
}

/** The refusal of a call that may not create the session it names. @internal */
export function unknownError(name: string): ApiError {
  const quoted = JSON.stringify(name)
  return new ApiError(
    'invalid_request_error',
    [
      `There is no session ${quoted}, and calls cannot create one here (setting sessions.unknown, or`,
      `strict): create it first, with sim.createSession({ name: ${quoted} }) or POST /__sim/sessions.`,
    ].join(' '),
  )
}
