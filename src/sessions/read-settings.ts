/** Reads settings and options from plain objects, and reports all errors together. */

import type * as z from 'zod'
import { safeParse } from '../protocol/expected-values.ts'
import { ConfigError } from '../protocol/findings.ts'
import { type Settings, settingsSchema } from '../protocol/settings.ts'
import { errorsIn } from '../protocol/value-errors.ts'

/** The settings with defaults. Throws `ConfigError` with one finding per error. @internal */
export function readSettings(input: unknown): Settings {
  return checked('The settings are invalid', settingsSchema(), input, safeParse(settingsSchema(), input))
}

/**
 * The parsed input. Throws `ConfigError` with a title and one finding per error.
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
