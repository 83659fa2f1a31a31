/** Names that somebody else chooses: zod would drop `__proto__` without a word, therefore it is rejected. */
import * as z from 'zod'
import { safeParse } from './expected-values.ts'
import { maxErrors } from './wording.ts'

type Path = readonly PropertyKey[]

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

/** What is nested deeper is rejected as unknown or too deep. Its paths would take seconds to make. */
const maxDepth = 200

/** The issues of a value that holds the name `__proto__`, besides those that are known of it. */
export function unusableNames(input: unknown, known: readonly z.core.$ZodIssue[] = []): z.core.$ZodIssue[] {
  const reported = new Set(
    known.flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.keys.includes('__proto__') ? [issue.path.join('\n')] : [],
    ),
  )
  const issues: z.core.$ZodIssue[] = []
  // Objects of the library may hold themselves.
  const seen = new Set<object>()
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value: input, path: [] }]
  for (let next = open.pop(); next !== undefined && issues.length <= maxErrors; next = open.pop()) {
    const { value, path } = next
    if (!isPlain(value) || seen.has(value) || path.length > maxDepth) continue
    seen.add(value)
    if (Object.hasOwn(value, '__proto__') && !reported.has(path.join('\n')))
      issues.push({ code: 'custom', path: [...path], message: unusableName, input: value })
    const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
    for (const [name, part] of inside.reverse())
      if (part !== null && typeof part === 'object') open.push({ value: part, path: [...path, name] })
  }
  return issues
}

/** Lists, and objects that are not of a class. */
function isPlain(value: unknown): value is object {
  if (value === null || typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value) as unknown
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
