/** The names of sessions: which are allowed, and how a title becomes one. */
import { wrongRequest } from './session-errors.ts'

/** A session's name, or a title from which it gets a free name. */
export interface SessionName {
  readonly name?: string | undefined
  readonly title?: string | undefined
}

const namePattern = /^(?!__proto__$)[A-Za-z0-9._-]{1,64}$/

/** Throws `ApiError` (400) for a name that no session can have. @internal */
export function checkSessionName(name: string): void {
  if (namePattern.test(name)) return
  throw wrongRequest(
    `The session name ${JSON.stringify(name.slice(0, 80))} is not allowed: ` +
      'expected 1 to 64 letters, digits, dots, dashes or underscores.',
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
