/** What sessions may be called, and where a key names one. */
import { ApiError } from '../protocol/errors.ts'

/** The session of calls that name none. */
export const defaultSession = 'default'

const namePattern = /^[A-Za-z0-9._-]{1,64}$/
const keyPattern = /^sk-sim-([a-z0-9]{1,32})-/

/** Throws `ApiError` (400) for a name that no session can have. @internal */
export function checkSessionName(name: string): void {
  if (name === '__proto__')
    throw new ApiError(
      'invalid_request_error',
      'The session name "__proto__" cannot be used: choose another.',
    )
  if (namePattern.test(name)) return
  throw new ApiError(
    'invalid_request_error',
    [
      `The session name ${JSON.stringify(name.slice(0, 80))} cannot be used:`,
      'expected 1 to 64 letters, digits, dots, dashes or underscores.',
    ].join(' '),
  )
}

/** The session that a key such as `sk-sim-mytest-alice` names. @internal */
export function sessionInKey(key: string): string | undefined {
  return keyPattern.exec(key)?.[1]
}
