/** A scenario file as a whole: one schema validates it, and exports as schema/scenario.schema.json. */
import * as z from 'zod'
import type { RuleFunction } from '../../generated/scenario-types.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { settingsParts } from '../../protocol/settings.ts'
import { isoTimestamp, optional } from '../values.ts'
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
      .refine((written) => written.speed === undefined || (written.mode ?? 'real') === 'real', {
        path: ['speed'],
        error: 'applies only to a real clock: remove this key',
      }),
  ])
}

export function scenarioSchema({ operations, kinds }: Pick<Vocabulary, 'operations' | 'kinds'>) {
  const rule = z.strictObject({
    id: optional(z.string().min(1), 'The name of the rule in reports. Default: its position in the file.'),
    when: whenSchema(operations).optional(),
    then: thenSchema(kinds),
  })
  return z
    .strictObject({
      $schema: optional(z.string(), 'The path or URL of this schema, for editors.'),
      title: z.string().min(1).describe('The simulated failure or feature, in one sentence.'),
      description: optional(z.string(), 'A further explanation.'),
      seed: optional(z.string().min(1), 'The seed for all randomness.'),
      clock: optional(clock(), 'The clock: a mode, or an object with options.'),
      ...accountFields(),
      given: givenSchema(kinds).optional(),
      flags: optional(
        z.record(z.string(), z.string()),
        'Flags and their initial values. Rules can set flags (`setFlags`) and match them (`when.flags`).',
      ),
      rules: optional(
        z.array(rule),
        'The first rule that matches a request defines its response; other requests get the default ' +
          'response.',
      ),
      steps: optional(
        z.array(stepSchema(operations)),
        'Client requests and the expected responses, for `gateway-sim replay`.',
      ),
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
export type RuleSpec = NonNullable<Parsed['rules']>[number] & { readonly ask?: RuleFunction }
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
    keys: keys.describe(
      'The valid API keys and the models that each key can use. Default: every key is valid.',
    ),
    models: optional(models.unwrap().partial(), 'The model ids that each API accepts. Default: any id.'),
    limits: optional(z.strictObject(unfilledLimits), 'Limits of the gateway.'),
  }
}
