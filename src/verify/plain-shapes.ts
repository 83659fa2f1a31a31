/** Converts what tests write in code into what scenario files can express. */
import { maxDepth } from '../protocol/canonical.ts'
import { ConfigError } from '../protocol/findings.ts'
import { clip } from '../protocol/wording.ts'

/** Regular expressions become `{ regex }`. Throws `ConfigError` for what has no form as data. */
export function plainShapes(value: unknown, path = '', depth = 0): unknown {
  if (depth > maxDepth) throw refused(path, `is nested deeper than ${maxDepth}: an object that holds itself?`)
  // Tests may run in another realm, whose Object and RegExp are not ours.
  if (isRegExp(value)) return { regex: sourceOf(value, path) }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw refused(path, `expected plain data or a regular expression, got a ${typeof value}`)
  if (value === null || typeof value !== 'object') return value
  if (typeof (value as { asymmetricMatch?: unknown }).asymmetricMatch === 'function') {
    throw refused(
      path,
      'a matcher of the test runner cannot be used here: write what the value must be like, as { ' +
        'contains: … }, { startsWith: … }, { exists: true }, or a part of the object',
    )
  }
  const prototype = Object.getPrototypeOf(value) as {
    readonly constructor?: { readonly name?: string }
  } | null
  // A class instance may have no own fields, and would then match anything.
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw refused(
      path,
      `expected plain data or a regular expression, got a ${prototype.constructor?.name ?? 'class'}`,
    )
  if (Array.isArray(value))
    return value.map((item, index) => plainShapes(item, `${path}[${index}]`, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      plainShapes(item, path === '' ? name : `${path}.${name}`, depth + 1),
    ]),
  )
}

function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]'
}

function sourceOf({ source, flags }: RegExp, path: string): string {
  // Flags that only change positions do not matter.
  const rest = flags.replace(/[dgu]/g, '')
  if (rest === '') return source
  throw refused(
    path,
    `expected a regular expression without the flag${rest.length === 1 ? '' : 's'} ${rest}, got ` +
      `/${source}/${flags}: say it in the expression, as [Ff]ox`,
  )
}

function refused(at: string, message: string): ConfigError {
  const path = clip(at, 200)
  return new ConfigError('This cannot be verified', [{ field: path, message }])
}
