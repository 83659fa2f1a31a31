/** Settings of uploaded files. */
import * as z from 'zod'
import { count, duration } from './values.ts'

export const files = z
  .strictObject({
    providers: z
      .record(z.string().min(1), z.string().regex(/^[a-z]{1,16}$/, 'expected 1 to 16 lower-case letters'))
      .refine((providers) => Object.keys(providers).length > 0, 'expected at least one provider')
      .default({ COS: 'cos', OSS: 'oss' })
      .describe(
        'The values of `storage_provider` (the first is the default), each with the scheme of `path` ' +
          '(contract 2.5). `cos` signs like COS (`q-sign-…`), others like OSS (`Expires`, `Signature`).',
      ),
    region: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits and dashes')
      .default('local')
      .describe('The region in the addresses of files when a request names none.'),
    bucket: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected up to 63 lower-case letters, digits and dashes')
      .optional()
      .describe(
        'A bucket in front of the path of a file in `path` (`cos://bucket/a.png`); none when left out ' +
          '(`cos://a.png`).',
      ),
    method: z
      .enum(['PUT', 'POST'])
      .default('PUT')
      .describe('The method that an upload URL is signed for (contract 4.8 allows both).'),
    uploadStatus: z
      .literal([200, 201])
      .default(200)
      .describe('The status of a successful upload (contract 4.8 allows both).'),
    expiresAfter: duration('15m', 'How long an upload URL is valid; rounded up to whole seconds.'),
    pathBytes: count(
      850,
      'The longest path of a file in bytes of UTF-8 (400 beyond); COS takes 850, OSS 1023.',
      1,
    ),
    credentials: z
      .enum(['refuse', 'ignore'])
      .default('refuse')
      .describe('What happens to an upload that carries an API key (contract 5: it must carry none).'),
  })
  .prefault({})
