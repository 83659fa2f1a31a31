/** Reads settings and options from plain objects, and reports all errors together. */

import type * as z from 'zod'
import { isFields } from '../engine/fields.ts'
import { parseWritten } from '../protocol/client-names.ts'
import { safeParse } from '../protocol/expected-values.ts'
import { ConfigError } from '../protocol/field-errors.ts'
import { type Settings, settingsSchema } from '../protocol/settings.ts'
import { errorsIn } from '../protocol/value-errors.ts'

/** Settings with others that take precedence over them. @internal */
export function mergedSettings(common: unknown, over: unknown): unknown {
  if (!isFields(common) || !isFields(over)) return over
  const both: Record<string, unknown> = { ...common, ...over }
  for (const [name, value] of Object.entries(common))
    if (isFields(value) && isFields(over[name])) both[name] = mergedSettings(value, over[name])
  return both
}

/** The settings with defaults. Throws `ConfigError` with one entry per error. @internal */
export function readSettings(input: unknown): Settings {
  return checked('The settings are invalid', settingsSchema(), input, parseWritten(settingsSchema(), input))
}

/**
 * The parsed input. Throws `ConfigError` with a title and one entry per error.
 * @internal
 */
export function checked<T extends z.ZodType>(
  title: string,
  schema: T,
  input: unknown,
  result: z.ZodSafeParseResult<z.output<T>> = safeParse(schema, input),
): z.output<T> {
  if (result.success) return result.data
  const found = errorsIn(result.error.issues, schema, input)
  throw new ConfigError(
    title,
    found.map(({ field, message }) => ({ field, message })),
  )
}
