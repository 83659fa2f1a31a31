/** The names of sessions: which are allowed, where a call names one, and how a title becomes one. */
import type { IncomingCall } from '../protocol/call.ts'
import { wrongRequest } from './session-errors.ts'

const namePattern = /^[A-Za-z0-9._-]{1,64}$/
/** As `sk-sim-mytest-alice`. */
const keyPattern = /^sk-sim-([a-z0-9]{1,32})-/

/** Throws `ApiError` (400) for a name that no session can have. @internal */
export function checkSessionName(name: string): void {
  if (name === '__proto__')
    throw wrongRequest('The session name "__proto__" is not allowed: choose another name.')
  if (namePattern.test(name)) return
  throw wrongRequest(
    `The session name ${JSON.stringify(name.slice(0, 80))} is not allowed: ` +
      'expected 1 to 64 letters, digits, dots, dashes or underscores.',
  )
}

/** The session that a call names, by its address, a header, or its key. @internal */
export function namedSession(
  { session, headers }: Pick<IncomingCall, 'session' | 'headers'>,
  key: string | undefined,
): string | undefined {
  return (
    session ??
    (headers['x-sim-session'] ||
      (key?.startsWith('sk-sim-') === true ? keyPattern.exec(key)?.[1] : undefined))
  )
}

/** How much of a title a name contains; the rest of the 64 characters is for a number. */
const maxTitle = 56

/** `makes-an-image` for the title `Makes an image!`; undefined if no letter or digit is Latin. @internal */
export function nameOfTitle(title: string): string | undefined {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxTitle)
    .replace(/-$/, '')
  return words === '' ? undefined : words
}
