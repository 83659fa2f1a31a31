/** The shapes of the control API. */
import * as z from 'zod'
import { wireEntrySchema } from '../journal/wire-entry.ts'

const instant = z.iso.datetime()

export const healthSchema = z.strictObject({
  status: z.literal('ok'),
  sessions: z.int(),
  session: z.string(),
  calls: z.int(),
  resources: z.int(),
  scenarios: z.array(z.string()).describe('The titles of the scenarios in use.'),
})

export const clockSchema = z.strictObject({
  mode: z.enum(['real', 'manual', 'auto']),
  speed: z.number(),
  now: instant,
  next: instant.nullable(),
  in: z.string().nullable(),
  pending: z.int(),
})

export const advancedSchema = z.strictObject({
  from: instant,
  now: instant,
  fired: z.array(z.strictObject({ at: instant, resource: z.string(), id: z.string(), from: z.unknown(), to: z.unknown() })),
  more: z.int(),
  events: z.int(),
  next: instant.nullable(),
})

export const journalSchema = z.strictObject({
  total: z.int(),
  more: z.int(),
  next: z.int().nullable(),
  entries: z.array(wireEntrySchema),
})
