/** Reads settings and options from plain objects, and reports all errors together. */

import * as z from 'zod'
import { endOfTime, parseTimestamp } from '../../engine/duration.ts'
import { lazy } from '../../engine/fields.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { ConfigError, type Finding } from '../../protocol/findings.ts'
import { type Settings, settingsParts, settingsSchema } from '../../protocol/settings.ts'
import { errorsIn } from '../../protocol/value-errors.ts'

/** The settings with defaults. Throws `ConfigError` with one finding per error. @internal */
export function readSettings(input: unknown): Settings {
  return checked('The settings are invalid', settingsSchema(), input, parseWritten(settingsSchema(), input))
}

const optionsSchema = lazy(() => {
  const { seed, clock, strict, publicUrl } = settingsParts()
  const { mode, speed } = clock.unwrap().shape
  const asFunction = z.custom((value) => typeof value === 'function', 'expected a function').optional()
  return z.strictObject({
    seed: seed.optional(),
    clock: mode,
    start: z
      .custom(
        (value) => (parseTimestamp(value) ?? Infinity) <= endOfTime,
        'expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or milliseconds ' +
          'since the epoch',
      )
      .optional(),
    speed: speed.optional(),
    settings: z.unknown().optional(),
    scenarios: z
      .array(
        z.union([
          z.string(),
          z.custom<object>(
            (value) => value !== null && typeof value === 'object',
            'expected a path, a scenario object, or the result of loadScenario',
          ),
        ]),
      )
      .optional(),
    allowFiles: z.array(z.string().min(1)).optional(),
    recordings: z
      .custom<object>(
        (value) => value !== null && typeof value === 'object' && 'played' in value,
        'expected the result of loadRecordings (gateway-sim/node), which takes a path or a HAR object',
      )
      .optional(),
    onMiss: z.enum(['simulate', 'reject']).optional(),
    strict: strict.unwrap().optional(),
    publicUrl,
    selfCheck: z.boolean().optional(),
    onWarning: asFunction,
    onCall: asFunction,
    wallClock: asFunction,
  })
})

/**
 * Throws `ConfigError` with one finding per error in the options of `createSimulator`; many callers have no
 * compiler that finds them. @internal
 */
export function checkOptions(options: unknown): void {
  checked('The options of createSimulator are invalid', optionsSchema(), options)
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
  const found = errorsIn(result.error.issues, schema, input).map(
    ({ field, message, unknown }): Finding => ({
      field,
      message: unknown ? `unknown key: ${message}` : message,
    }),
  )
  throw new ConfigError(title, found)
}
