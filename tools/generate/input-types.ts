/**
 * The types of scenarios, settings and controls as users see them, from the schemas that validate them. The
 * build writes them; they are not versioned.
 */
import * as z from 'zod'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { controlTypes } from './control-types.ts'
import { scenarioJsonSchema } from './scenario-schema.ts'
import { scenarioType } from './scenario-type.ts'
import { settingsType } from './settings-type.ts'

/** The JSON Schema of `gateway-sim.config.yaml`, for editors. */
export function configSchema(): unknown {
  return { title: 'gateway-sim.config.yaml', ...z.toJSONSchema(settingsSchema(), { io: 'input' }) }
}

/** The text of each file, by its path. */
export function inputTypes(): Readonly<Record<string, string>> {
  return {
    'src/generated/settings-types.ts': settingsType(configSchema()),
    'src/generated/scenario-types.ts': scenarioType(scenarioJsonSchema()),
    'src/generated/control-types.ts': controlTypes(),
  }
}
