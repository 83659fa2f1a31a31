/**
 * Names that somebody else chooses. Zod drops `__proto__` from maps without a word: that of a client comes
 * back as it was sent, and whoever writes a scenario or settings must choose another.
 */
import * as z from 'zod'
// Not `z.core`, which would bring all of it along.
import { $constructor, config, util } from 'zod/v4/core'
import { safeParse } from './expected-values.ts'
import { maxErrors } from './wording.ts'

type Path = readonly PropertyKey[]

const unusableName = 'must not contain the key "__proto__": rename the key'

/** A map whose names a client chooses, `__proto__` among them: they come out as they came in. */
const ClientNames = $constructor<z.ZodRecord>('ClientNames', (inst, def) => {
  const record: z.core.$constructor<z.ZodRecord> = z.ZodRecord
  record.init(inst, def)
  const parse = inst._zod.parse
  inst._zod.parse = (payload, context) => {
    const { value: input } = payload
    const result = parse(payload, context) as typeof payload
    const name = '__proto__'
    if (input === null || typeof input !== 'object' || !Object.hasOwn(input, name)) return result
    const value = (input as Record<string, unknown>)[name]
    const named = def.keyType._zod.run({ value: name, issues: [] }, context) as typeof payload
    const found = def.valueType._zod.run({ value, issues: [] }, context) as typeof payload
    if (named.issues.length > 0) {
      const issues = named.issues.map((issue) => util.finalizeIssue(issue, context, config()))
      result.issues.push({ code: 'invalid_key', origin: 'record', issues, input: name, path: [name], inst })
    }
    result.issues.push(...util.prefixIssues(name, found.issues))
    const read = result.value as Readonly<Record<string, unknown>>
    // In the order of the client; an assignment would set the prototype.
    result.value = Object.fromEntries(
      Object.keys(input).map((key) => [key, key === name ? found.value : read[key]]),
    )
    return result
  }
})

/** As `z.record`, of names that a client chooses. */
export const clientNames = <Value extends z.ZodType>(value: Value, name: z.ZodString = z.string()) =>
  new ClientNames({ type: 'record', keyType: name, valueType: value }) as z.ZodRecord<z.ZodString, Value>

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
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value: input, path: [] }]
  for (let next = open.pop(); next !== undefined && issues.length <= maxErrors; next = open.pop()) {
    const { value, path } = next
    if (!isPlain(value) || seen.has(value)) continue
    seen.add(value)
    if (Object.hasOwn(value, '__proto__') && !told.has(path.join('\n')))
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
