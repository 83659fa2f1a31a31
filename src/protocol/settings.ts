/**
 * The settings: differences between gateways. One zod schema validates them, has the defaults and is exported
 * as JSON Schema.
 */

import * as z from 'zod'
import { isFields, lazy } from '../engine/fields.ts'
import {
  chat,
  files,
  imageJobs,
  images,
  keys,
  limits,
  messages,
  models,
  systemone,
  videoOperations,
  videos,
} from './settings/gateway.ts'
import {
  clientReport,
  clock,
  control,
  cors,
  explain,
  memory,
  publicUrl,
  sessions,
  strict,
  traffic,
} from './settings/simulation.ts'

/** The groups of settings; each schema is created on first use. */
export const settingsParts = {
  $schema: lazy(() => z.string().optional().describe("Path or URL of this file's JSON Schema, for editors.")),
  seed: lazy(() =>
    z
      .string()
      .min(1)
      .default('gateway-sim')
      .describe('Seed for ids, text and images. The same seed and requests produce the same bytes.'),
  ),
  clock,
  keys,
  models,
  limits,
  chat,
  messages,
  images,
  imageJobs,
  videos,
  systemone,
  videoOperations,
  files,
  clientReport,
  memory,
  traffic,
  strict,
  explain,
  sessions,
  control,
  cors,
  publicUrl,
}

type SchemasOf<Parts> = { [Name in keyof Parts]: Parts[Name] extends () => infer Schema ? Schema : never }

const schemasOf = <Names extends keyof typeof settingsParts>(names: readonly Names[]) =>
  Object.fromEntries(names.map((name) => [name, settingsParts[name]()])) as Pick<
    SchemasOf<typeof settingsParts>,
    Names
  >

const settingNames = Object.keys(settingsParts) as (keyof typeof settingsParts)[]

export const settingsSchema = lazy(() =>
  z.strictObject(schemasOf(settingNames)).describe('Settings of gateway-sim'),
)

/** A schema equivalent to `settingsSchema`, without the groups that the input lacks. */
export function schemaOfSettings(input: unknown): z.ZodType {
  return isFields(input)
    ? z.strictObject(schemasOf(settingNames.filter((name) => Object.hasOwn(input, name))))
    : settingsSchema()
}

/** Settings with every default filled in and durations in milliseconds. */
export type Settings = z.output<ReturnType<typeof settingsSchema>>
