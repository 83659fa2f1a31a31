/** The shape of a page of the journal. */
import * as z from 'zod'
import { wireEntrySchema } from '../journal/wire-entry.ts'

export const journalSchema = z.strictObject({
  total: z.int(),
  more: z.int(),
  next: z.int().nullable(),
  entries: z.array(wireEntrySchema),
})
