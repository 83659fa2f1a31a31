/** A scenario file as a whole: one schema validates it, and exports as schema/scenario.schema.json. */
import * as z from 'zod'
import type { RuleFunction } from '../../generated/scenario-types.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { settingsParts } from '../../protocol/settings.ts'
import { at, isoTimestamp, optional, text, texts } from '../values.ts'
import { givenSchema } from './given.ts'
import { thenSchema, whenSchema } from './rule.ts'
import { stepSchema } from './steps.ts'

interface Clock {
  readonly mode?: 'real' | 'manual' | 'auto' | undefined
  readonly start?: string | undefined
  readonly speed?: number | undefined
}

const clock = () => {
  const mode = z.enum(['real', 'manual', 'auto'])
  return z.union([
    mode.transform((written): Clock => ({ mode: written })),
    z
      .strictObject({
        mode: optional(mode, 'The clock mode.'),
        start: isoTimestamp('The virtual time at the start.').optional(),
        speed: optional(
          z.number().positive().max(1_000_000),
          'The speed of a `real` clock: 2 is twice as fast as the wall clock.',
        ),
      })
      .refine(
        (written) => written.speed === undefined || (written.mode ?? 'real') === 'real',
        at('speed', 'applies only to a real clock: remove this key'),
      ),
  ])
}

export function scenarioSchema({ operations, kinds }: Pick<Vocabulary, 'operations' | 'kinds'>) {
  const rule = z.strictObject({
    id: text('Name in reports. Default: position in the file.'),
    when: whenSchema(operations).optional(),
    then: thenSchema(kinds),
  })
  return z
    .strictObject({
      $schema: optional(z.string(), 'JSON Schema, for editors.'),
      title: z.string().min(1).describe('What happens.'),
      description: optional(z.string(), 'Details.'),
      seed: text('Seed for all randomness.'),
      clock: optional(clock(), 'Mode, start and speed of the clock.'),
      ...accountFields(),
      given: givenSchema(kinds).optional(),
      flags: texts('Flags with initial values.'),
      rules: optional(z.array(rule), 'The first matching rule responds.'),
      steps: optional(z.array(stepSchema(operations)), 'Client steps for `gateway-sim replay`.'),
    })
    .meta({
      title: 'gateway-sim scenario',
      description: 'A gateway-sim scenario: rules for the simulated gateway, and steps for a client.',
    })
}

export type ScenarioSchema = ReturnType<typeof scenarioSchema>

/** A scenario as parsed by zod: durations are milliseconds, faults have all their options. */
export type ScenarioSpec = Omit<Parsed, 'rules'> & { readonly rules?: RuleSpec[] | undefined }
type Parsed = z.output<ScenarioSchema>
/** `ask` is the function that replaces `then`; `then` is empty in that case. */
export type RuleSpec = NonNullable<Parsed['rules']>[number] & { readonly ask?: RuleFunction | undefined }
export type AccountSpec = Pick<ScenarioSpec, 'keys' | 'models' | 'limits'>

/**
 * A limit without its default: a scenario changes only the limits that it names. Editors still show the
 * default.
 */
const unfilled = (limit: z.ZodDefault<z.ZodNumber> | z.ZodOptional<z.ZodNumber>) =>
  limit instanceof z.ZodDefault
    ? limit
        .unwrap()
        .optional()
        .meta({ default: limit.def.defaultValue, ...limit.meta() })
    : limit

/** API keys, models and limits, as in the settings. */
function accountFields() {
  const { keys, models, limits } = settingsParts()
  const limitFields = limits.unwrap().shape
  const unfilledLimits = Object.fromEntries(
    Object.entries(limitFields).map(([name, limit]) => [name, unfilled(limit)]),
  ) as Record<keyof typeof limitFields, z.ZodOptional<z.ZodNumber>>
  return {
    keys: keys.describe('Valid API keys. Default: any.'),
    models: optional(models.unwrap().partial(), 'Model ids of each API. Default: any.'),
    limits: optional(z.strictObject(unfilledLimits), 'Limits of the gateway.'),
  }
}
