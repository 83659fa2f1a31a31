/** Names that somebody else chooses: zod would drop `__proto__` without a word, therefore it is rejected. */
import * as z from 'zod'
import { safeParse } from './expected-values.ts'
import { maxErrors } from './wording.ts'

const unusableName = 'must not contain the key "__proto__": rename the key'

/** As `schema.safeParse`, and rejects the name `__proto__` wherever it is written. */
export function parseWritten<T extends z.ZodType>(
  schema: T,
  input: unknown,
): z.ZodSafeParseResult<z.output<T>> {
  const result = safeParse(schema, input)
  const named = unusableNames(input, result.error?.issues)
  if (named.length === 0) return result
  const error = new z.ZodError([...named, ...(result.error?.issues ?? [])])
  return { success: false, error: error as z.ZodError<z.output<T>> }
}

/** The issues of a value that holds the name `__proto__`, besides those that are known of it. */
export function unusableNames(input: unknown, known: readonly z.core.$ZodIssue[] = []): z.core.$ZodIssue[] {
  const told = new Set(
    known.flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.keys.includes('__proto__') ? [issue.path.join('\n')] : [],
    ),
  )
  const issues: z.core.$ZodIssue[] = []
  // Objects of the library may hold themselves.
  const seen = new Set<object>()
  const open: Place[] = [{ value: input }]
  for (let place = open.pop(); place !== undefined && issues.length <= maxErrors; place = open.pop()) {
    const { value } = place
    if (!isPlain(value) || seen.has(value)) continue
    seen.add(value)
    if (Object.hasOwn(value, '__proto__')) {
      const path = pathTo(place)
      if (!told.has(path.join('\n')))
        issues.push({ code: 'custom', path, message: unusableName, input: value })
    }
    const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
    for (const [name, part] of inside.reverse())
      if (part !== null && typeof part === 'object') open.push({ value: part, name, holder: place })
  }
  return issues
}

/** A value with its holder. A path of its own for each would take seconds for values nested very deeply. */
interface Place {
  readonly value: unknown
  readonly name?: PropertyKey
  readonly holder?: Place
}

function pathTo({ name, holder }: Place): PropertyKey[] {
  const path: PropertyKey[] = name === undefined ? [] : [name]
  for (let at = holder; at?.name !== undefined; at = at.holder) path.push(at.name)
  return path.reverse()
}

/** Lists, and objects that are not of a class. */
function isPlain(value: unknown): value is object {
  if (value === null || typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value) as unknown
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
