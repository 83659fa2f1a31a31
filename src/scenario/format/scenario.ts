/**
 * A scenario file as a whole. One schema: it validates, and exports as schema/scenario.schema.json for
 * editors.
 */
import * as z from 'zod'
import type { RuleFunction } from '../../generated/scenario-input.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { accountSchema } from './account.ts'
import { givenSchema } from './given.ts'
import { stepSchema } from './steps.ts'
import { thenSchema } from './then.ts'
import { isoInstant } from './values.ts'
import { whenSchema } from './when.ts'

interface Clock {
  readonly mode?: 'real' | 'manual' | 'auto' | undefined
  readonly start?: string | undefined
  readonly speed?: number | undefined
}

const clock = () => {
  const mode = z.enum(['real', 'manual', 'auto'])
  return z.union([
    mode.transform((written): Clock => ({ mode: written })),
    z.strictObject({
      mode: mode.optional().describe('What advances time.'),
      start: isoInstant('Virtual time at the start.').optional(),
      speed: z
        .number()
        .positive()
        .max(1_000_000)
        .optional()
        .describe('How many times faster than the wall clock `real` runs.'),
    }),
  ])
}

/** The schema of a scenario file. */
export function scenarioSchema({ operations, kinds }: Pick<Vocabulary, 'operations' | 'kinds'>) {
  const rule = z.strictObject({
    id: z.string().min(1).optional().describe('Its name in reports; by default its position in the file.'),
    when: whenSchema(operations).optional(),
    then: thenSchema(kinds),
  })
  return z
    .strictObject({
      $schema: z.string().optional().describe('Where editors find this schema.'),
      title: z.string().min(1).describe('What happens, in one sentence.'),
      description: z.string().optional().describe('Further explanation.'),
      seed: z.string().min(1).optional().describe('The seed of all randomness.'),
      clock: clock().optional().describe('The clock: its mode, or an object.'),
      account: accountSchema().optional(),
      given: givenSchema(kinds).optional(),
      states: z
        .record(z.string(), z.string())
        .optional()
        .describe(
          'Named states and their initial values; rules set them (`setState`) and check them (`when.state`).',
        ),
      rules: z
        .array(rule)
        .optional()
        .describe('The first rule that matches a call answers it; other calls get the default behaviour.'),
      steps: z
        .array(stepSchema(operations))
        .optional()
        .describe('What a client does, for `gateway-sim replay`.'),
    })
    .meta({
      title: 'gateway-sim scenario',
      description: 'A scenario of gateway-sim: what the simulated gateway does, and what a client does.',
    })
}

export type ScenarioSchema = ReturnType<typeof scenarioSchema>

export const ruleSchemaOf = (schema: ScenarioSchema) => schema.shape.rules.unwrap().element

/** A scenario as zod has parsed it: durations are milliseconds, faults have all their options. */
export type ScenarioSpec = Omit<Parsed, 'rules'> & { readonly rules?: RuleSpec[] | undefined }
type Parsed = z.output<ScenarioSchema>
/** `ask` is the function that answers instead of `then`, which is empty then. */
export type RuleSpec = NonNullable<Parsed['rules']>[number] & { readonly ask?: RuleFunction }
export type AccountSpec = NonNullable<ScenarioSpec['account']>
