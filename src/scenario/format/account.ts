/** The account of a scenario: keys, models and limits, in the words of the settings. */
import * as z from 'zod'
import { settingsSchema } from '../../protocol/settings.ts'

const { keys, models, limits } = settingsSchema.shape

/** A limit whose default is not filled in: a scenario changes only what it names. Editors still show it. */
const unfilled = (limit: z.ZodDefault<z.ZodNumber> | z.ZodOptional<z.ZodNumber>) =>
  limit instanceof z.ZodDefault
    ? limit
        .unwrap()
        .optional()
        .meta({ default: limit.def.defaultValue, ...limit.meta() })
    : limit

const limitFields = limits.unwrap().shape
const unfilledLimits = Object.fromEntries(
  Object.entries(limitFields).map(([name, limit]) => [name, unfilled(limit)]),
) as Record<keyof typeof limitFields, z.ZodOptional<z.ZodNumber>>

export function accountSchema() {
  return z
    .strictObject({
      keys: keys.describe(
        'The valid API keys, each with its models (all when left out). Without it, every key is valid.',
      ),
      models: models
        .unwrap()
        .partial()
        .optional()
        .describe('The model ids of each API; any id when left out.'),
      limits: z.strictObject(unfilledLimits).optional().describe('Limits of the account.'),
    })
    .meta({ description: 'Keys, models and limits.' })
}
