/**
 * The settings: differences between gateways. One zod schema validates them, has the defaults and is exported
 * as JSON Schema.
 */

import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import { gatewaySettings } from './settings/gateway.ts'
import { simulationSettings } from './settings/simulation.ts'

type SchemasOf<Parts> = { [Name in keyof Parts]: Parts[Name] extends () => infer Schema ? Schema : never }

/** The schema of each group. */
export const settingsParts = lazy(() => {
  const made = Object.entries({ ...simulationSettings, ...gatewaySettings }).map(([name, make]) => [
    name,
    make(),
  ])
  return Object.fromEntries(made) as SchemasOf<typeof simulationSettings & typeof gatewaySettings>
})

export const settingsSchema = lazy(() =>
  z
    .strictObject({
      $schema: z.string().optional().describe("Path or URL of this file's JSON Schema, for editors."),
      ...settingsParts(),
    })
    .describe('Settings of gateway-sim'),
)

/** Settings with every default filled in and durations in milliseconds. */
export type Settings = z.output<ReturnType<typeof settingsSchema>>
