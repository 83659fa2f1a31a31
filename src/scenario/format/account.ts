/** The account of a scenario: keys, models and limits, in the words of the settings. */
import * as z from 'zod'
import { settingsSchema } from '../../protocol/settings.ts'

const { keys, models, limits } = settingsSchema.shape

export function accountSchema() {
  return z
    .strictObject({
      keys: keys.describe(
        'The API keys that exist, each with its models (all when left out). Every key works when left out.',
      ),
      models: models
        .unwrap()
        .partial()
        .optional()
        .describe('The model ids that each API knows; any when left out.'),
      limits: limits.unwrap().partial().optional().describe('Limits of the account.'),
    })
    .meta({ description: 'Keys, models and limits.' })
}
