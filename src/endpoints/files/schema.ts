/** The wire shapes of uploads (contract 2.5 and 4.8). */
import * as z from 'zod'
import type { HeldBytes } from '../../protocol/call.ts'

const region = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits and dashes')
  .nullish()

/** The contract names `path` and `storage_provider`; a region may be given, its name is not shown. */
export const uploadUrlBody = z.object({
  path: z
    .string()
    .min(1)
    .describe('Where the file is to stand: segments parted by `/`, none of them empty, `.` or `..`.'),
  storage_provider: z
    .string()
    .min(1)
    .nullish()
    .describe('Which object store takes the file: `COS`, or the second provider of the settings.'),
  region: region.describe('The region of the store.'),
  storage_region: region.describe('The same under another name.'),
})

export const uploadTarget = z.strictObject({
  upload_url: z.url().describe('Where the bytes are sent, signed; valid for a limited time.'),
  method: z.enum(['PUT', 'POST']).describe('The method to use on it.'),
  path: z
    .string()
    .regex(/^[a-z]+:\/\/./)
    .describe('How other APIs name the file.'),
  visit_url: z.url().describe('Where the file is read after the upload.'),
})

/** The body of an upload: any bytes. */
export const fileBytes = z.custom<HeldBytes>()
