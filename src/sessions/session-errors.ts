/**
 * How calls are rejected for their session, and how rejections of the library and of HTTP become each other.
 */

import { defined } from '../engine/fields.ts'
import { ApiError, type RejectionOptions } from '../protocol/errors.ts'
import { ConfigError } from '../protocol/field-errors.ts'
import { clip } from '../protocol/wording.ts'
import { ScenarioError, type ScenarioFieldError } from '../scenario/scenario-error.ts'
import { counted } from '../text/printable.ts'

/** The rejection of a call that asks for what cannot be. @internal */
export function wrongRequest(message: string, options?: RejectionOptions): ApiError {
  return new ApiError('invalid_request_error', message, options)
}

/** The same for what one field holds, which the message names. @internal */
export function wrongField(param: string, message: string, options?: RejectionOptions): ApiError {
  return wrongRequest(`\`${param}\`: ${message}`, { param, ...options })
}

/** The rejection of a call to a session that was deleted. @internal */
export function deletedError(name: string): ApiError {
  const quoted = JSON.stringify(name)
  return wrongRequest(
    `The session ${quoted} no longer exists: it was disposed of, or it was the least recently used of too ` +
      'many (setting memory.sessions). If it belonged to a test, the test had ended while its client was ' +
      `still sending requests. To create it again, use sim.createSession({ name: ${quoted} }) or ` +
      'POST /__sim/sessions.',
  )
}

/** The rejection to create a session under a name that is in use. @internal */
export function takenError(name: string): ApiError {
  return wrongRequest(
    `The session ${JSON.stringify(name)} already exists: choose another name, ` +
      `or first dispose of the existing session (dispose() or DELETE /__sim/sessions/${name}).`,
    { param: 'name', status: 409 },
  )
}

/** The rejection of a call about a session that does not exist. @internal */
export function missingError(name: string, param: string): ApiError {
  return new ApiError(
    'not_found_error',
    `There is no session ${JSON.stringify(clip(name, 80))}: create it with POST /__sim/sessions, or list ` +
      'the existing sessions with GET /__sim/sessions.',
    { param },
  )
}

/** The rejection of a call that may not create the session it names. @internal */
export function unknownError(name: string): ApiError {
  const quoted = JSON.stringify(name)
  return wrongRequest(
    `Session ${quoted} does not exist, and \`strict\` prevents requests from creating it: ` +
      `create it with sim.createSession({ name: ${quoted} }) or POST /__sim/sessions.`,
  )
}

/** The result of `act`; errors that it throws become one `ApiError` (400) with their places. @internal */
export function rejectingErrors<T>(act: () => T, fieldOf: (field: string) => string = (field) => field): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    const errors: readonly ScenarioFieldError[] = error.errors
    const details = errors.map(({ field, line, column, message }) => ({
      code: 400,
      message: line === undefined ? message : `line ${line}, column ${column}: ${message}`,
      ...defined({ field: field === '' ? undefined : fieldOf(field) }),
    }))
    const first = details[0]
    const field = first?.field === undefined ? '' : `\`${first.field}\`: `
    const more = details.length > 1 ? ` (and ${counted(details.length - 1, 'more error')}, see errors)` : ''
    const message = first === undefined ? error.message : `${field}${first.message}${more}`
    throw wrongRequest('.!?'.includes(message.slice(-1)) ? message : `${message}.`, {
      ...defined({ param: first?.field }),
      details,
    })
  }
}

/** The result of `act`; a rejection becomes a `ConfigError` with the rejection as its cause. @internal */
export function throwingConfigErrors<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { param = '', details = [] } = error.options
    const found = details.length > 0 ? details : [{ field: param, message: error.message }]
    const rejection = new ConfigError(
      'This is rejected',
      found.map(({ field = '', message }) => ({
        field,
        // The field has a place of its own.
        message: message.startsWith(`\`${field}\`: `) ? message.slice(field.length + 4) : message,
      })),
      error.message,
    )
    rejection.cause = error
    throw rejection
  }
}

/** Thrown by a simulator that was closed, and by its sessions; `fetch` rejects with it. */
export class SimulatorClosedError extends Error {
  override readonly name = 'SimulatorClosedError'

  constructor() {
    super(
      'the simulator is closed and rejects requests: close it after the last request, or create a new ' +
        'simulator',
    )
  }
}
