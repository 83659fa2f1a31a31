/** The wire shapes of uploads (contract 2.5 and 4.8). */
import * as z from 'zod'
import type { HeldBytes } from '../../protocol/call.ts'
import { contractSays, describedIn, relied, stated } from '../../protocol/contract-reading.ts'

const region = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits and dashes')
  .nullish()

/** The contract names `path` and `storage_provider`; it mentions a region, but not the name of its field. */
export const uploadUrlBody = z.object({
  path: z
    .string()
    .min(1)
    .describe('The path of the file: segments separated by `/`, none of them empty, `.` or `..`.'),
  storage_provider: z
    .string()
    .min(1)
    .nullish()
    .describe('The object store: `COS`, or the second provider of the settings.'),
  region: region.describe('The region of the store.'),
  storage_region: region.describe('Another name for `region`.'),
})

export const uploadTarget = describedIn(
  'contract 2.5',
  z.strictObject({
    upload_url: relied(stated(z.url())).describe(
      'Where to send the bytes: signed, and valid for a limited time.',
    ),
    method: z.enum(['PUT', 'POST']).describe('The method to use.'),
    path: contractSays(z.string().regex(/^[a-z]+:\/\/./), () =>
      stated(
        z
          .string()
          .regex(/^[a-z][a-z0-9+.-]*:\/\/./i, 'expected a path with its scheme, as cos://bucket/file'),
      ),
    ).describe('The name of the file in other APIs.'),
    visit_url: stated(z.url()).describe('Where to read the file after the upload.'),
  }),
)

/** The body of an upload: any bytes. */
export const fileBytes = z.custom<HeldBytes>()
