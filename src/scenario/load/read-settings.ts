/** Reads settings and options from plain objects, and reports all errors together. */

import * as z from 'zod'
import { endOfTime, parseTimestamp } from '../../engine/duration.ts'
import { isFields, lazy } from '../../engine/fields.ts'
import { defaultSettings } from '../../generated/default-settings.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { ConfigError, type Finding } from '../../protocol/findings.ts'
import { type Settings, schemaOfSettings, settingsParts, settingsSchema } from '../../protocol/settings.ts'
import { errorsIn } from '../../protocol/value-errors.ts'

/**
 * The settings with defaults. Throws `ConfigError` with one finding per error. Creating the schema of all
 * settings takes longer than a call, and most simulators set few: only the given settings are parsed.
 * @internal
 */
export function readSettings(input: unknown): Settings {
  const given = parseWritten(schemaOfSettings(input), input)
  if (given.success)
    return { ...structuredClone(defaultSettings as Settings), ...(given.data as Partial<Settings>) }
  return checked('The settings are invalid', settingsSchema(), input, parseWritten(settingsSchema(), input))
}

const asFunction = lazy(() =>
  z.custom((value) => typeof value === 'function', 'expected a function').optional(),
)
const clock = lazy(() => settingsParts.clock().unwrap().shape)
const timestamp = lazy(() =>
  z.custom(
    (value) => (parseTimestamp(value) ?? Infinity) <= endOfTime,
    'expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or milliseconds since ' +
      'the epoch',
  ),
)

/** The options of `createSimulator`. `readSettings` reads its settings. */
const optionFields: Readonly<Record<string, () => z.ZodType>> = {
  seed: () => settingsParts.seed().optional(),
  clock: () => clock().mode,
  start: () => timestamp().optional(),
  speed: () => clock().speed.optional(),
  settings: () => z.unknown().optional(),
  scenarios: () =>
    z
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
  allowFiles: () => z.array(z.string().min(1)).optional(),
  recordings: () =>
    z
      .custom<object>(
        (value) => value !== null && typeof value === 'object' && 'played' in value,
        'expected the result of loadRecordings (gateway-sim/node), which takes a path or a HAR object',
      )
      .optional(),
  onMiss: () => z.enum(['simulate', 'reject']).optional(),
  strict: () => settingsParts.strict().unwrap().optional(),
  publicUrl: () => settingsParts.publicUrl(),
  selfCheck: () => z.boolean().optional(),
  onWarning: asFunction,
  onCall: asFunction,
  wallClock: asFunction,
}
const optionsSchema = lazy(() =>
  z.strictObject(Object.fromEntries(Object.entries(optionFields).map(([name, make]) => [name, make()]))),
)

/**
 * Throws `ConfigError` with one finding per error in the options of `createSimulator`; many callers have no
 * compiler that finds them. @internal
 */
export function checkOptions(options: unknown): void {
  // Usually few are given: the schema of all options is only needed for errors.
  if (isFields(options) && Object.entries(options).every(isRight)) return
  checked('The options of createSimulator are invalid', optionsSchema(), options)
}

const isRight = ([name, value]: readonly [string, unknown]): boolean => {
  const field = Object.hasOwn(optionFields, name) ? optionFields[name] : undefined
  return field !== undefined && (value === undefined || safeParse(field(), value).success)
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
