/** Turns what a test may write in code into what a scenario file can say. Knows no operation. */
import { ScenarioError } from '../scenario/scenario-error.ts'

/** Regular expressions become `{ regex }`. Throws `ScenarioError` for what has no form as data. */
export function plainShapes(value: unknown, path = ''): unknown {
  if (value instanceof RegExp) return { regex: sourceOf(value, path) }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') throw refused(path, `expected plain data or a regular expression, got a ${typeof value}`)
  if (value === null || typeof value !== 'object') return value
  if (typeof (value as { asymmetricMatch?: unknown }).asymmetricMatch === 'function') {
    throw refused(path, 'a matcher of the test runner cannot be used here: write what the value must be like, as { contains: … }, { startsWith: … }, { exists: true }, or a part of the object')
  }
  if (Array.isArray(value)) return value.map((item, index) => plainShapes(item, `${path}[${index}]`))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainShapes(item, path === '' ? name : `${path}.${name}`)]))
}

function sourceOf({ source, flags }: RegExp, path: string): string {
  // Where it was found does not matter, so neither does where the next search would begin.
  const rest = flags.replace(/[dgu]/g, '')
  if (rest === '') return source
  throw refused(path, `expected a regular expression without the flag${rest.length === 1 ? '' : 's'} ${rest}, got /${source}/${flags}: say it in the expression, as [Ff]ox`)
}

function refused(path: string, message: string): ScenarioError {
  return new ScenarioError(`This cannot be verified:\n  ${path === '' ? '(top level)' : path}: ${message}`, [{ field: path, message }])
}
