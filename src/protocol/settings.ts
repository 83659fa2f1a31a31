/**
 * Everything about the simulated gateway that a team's real one may do differently. One zod schema validates
 * it, gives the defaults and exports as JSON Schema.
 */

import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import {
  chat,
  files,
  imageJobs,
  images,
  keys,
  limits,
  messages,
  models,
  operations,
  systemone,
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

export const settingsSchema = lazy(() =>
  z
    .strictObject({
      $schema: z.string().optional().describe('Where editors find the JSON Schema of this file.'),
      seed: z
        .string()
        .min(1)
        .default('gateway-sim')
        .describe(
          'Determines ids, texts and images: the same seed and the same requests give the same bytes.',
        ),
      clock: clock(),
      keys: keys(),
      models: models(),
      limits: limits(),
      chat: chat(),
      messages: messages(),
      images: images(),
      imageJobs: imageJobs(),
      videos: videos(),
      systemone: systemone(),
      operations: operations(),
      files: files(),
      clientReport: clientReport(),
      memory: memory(),
      traffic: traffic(),
      strict: strict(),
      explain: explain(),
      sessions: sessions(),
      control: control(),
      cors: cors(),
      publicUrl: publicUrl(),
    })
    .describe('Settings of gateway-sim'),
)

/** Settings with every default filled in and durations in milliseconds. */
export type Settings = z.output<ReturnType<typeof settingsSchema>>
