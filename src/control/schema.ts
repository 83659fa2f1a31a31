/** The shape of a page of the journal. */
import * as z from 'zod'
import { wireEntrySchema } from '../journal/json.ts'

export const journalSchema = z.strictObject({
  total: z.int().describe('How many calls the session has taken, whichever are asked for.'),
  matching: z.int().describe('How many of those that are kept are asked for, on this page and others.'),
  more: z.int(),
  next: z.int().nullable(),
  entries: z.array(wireEntrySchema),
})
