/** POST /v1/files/upload_url: returns a URL for the upload. Stores nothing. */

import * as z from 'zod'
import { bucketName, filePathInUrl, storagePath } from '../../behaviours/uploads/file-url.ts'
import { isFields } from '../../engine/fields.ts'
import { contractSays, describedIn, relied, required, stated } from '../../protocol/contract-reading.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { json, originMark } from '../../protocol/response.ts'
import { invalid } from '../../protocol/validate.ts'
import { schemeOf } from './given-files.ts'
import { readObjectKey, signedQuery } from './signed-url.ts'

/** How long an upload URL is valid, in virtual milliseconds. */
const urlLifetime = 15 * 60_000

/** The contract names `path` and `storage_provider`; it mentions a region, but not the name of its field. */
const uploadUrlBody = () =>
  z.object({
    path: z
      .string()
      .min(1)
      .describe(
        'The path of the file: segments separated by `/`. Empty segments and the segments `.` and `..` ' +
          'are rejected.',
      ),
    storage_provider: z
      .string()
      .min(1)
      .nullish()
      .describe('The object store: a provider from the `files.providers` setting.'),
    region: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits or dashes')
      .nullish()
      .describe('The region of the object store.'),
  })

const uploadTarget = () =>
  describedIn(
    'contract 2.5',
    z.strictObject({
      upload_url: relied(stated(z.url())).describe('The signed upload URL, which expires.'),
      method: required(z.enum(['PUT', 'POST'])).describe('The HTTP method of the upload.'),
      path: contractSays(z.string().regex(/^[a-z]+:\/\/[\s\S]/), () =>
        stated(
          z
            .string()
            .regex(
              /^[a-z][a-z0-9+.-]*:\/\/[\s\S]/i,
              'expected a path with a scheme such as cos://bucket/file',
            ),
        ),
      ).describe('The path to send in requests that use the file.'),
      visit_url: stated(z.url()).describe('The URL of the uploaded file.'),
    }),
  )

export const createUploadUrl = defineEndpoint({
  operation: 'files.createUploadUrl',
  method: 'POST',
  path: '/v1/files/upload_url',
  summary: 'Create an upload URL',
  accepts: ['json'],
  upload: 'grant',
  body: uploadUrlBody,
  response: uploadTarget,
  filePathOf(body) {
    const path = isFields(body) ? body['path'] : undefined
    return typeof path === 'string' ? path : undefined
  },
  act({ body, now, plan }, { sandbox, settings }) {
    const store = schemeOf(body.storage_provider ?? undefined, settings)
    if ('problem' in store) throw invalid([{ field: 'storage_provider', message: store.problem }], undefined)
    const read = readObjectKey(body.path)
    if ('problem' in read) throw invalid([{ field: 'path', message: read.problem }], undefined)
    const { scheme } = store
    const { key } = read
    const { method } = settings.files
    const bucket = bucketName({ scheme, tag: sandbox.tag, region: body.region ?? 'local' })
    const otherMethod = method === 'PUT' ? 'POST' : 'PUT'
    const from = Math.floor(now / 1000)
    const validity =
      plan.upload === 'expired'
        ? { from: from - 2, until: from - 1 }
        : { from, until: Math.ceil((now + urlLifetime) / 1000) }
    const query = signedQuery(
      { method: plan.upload === 'wrong-method' ? otherMethod : method, scheme, bucket, key },
      validity,
      sandbox.seed,
      { tampered: plan.upload === 'tampered' },
    )
    const visit = `${originMark}${filePathInUrl(bucket, key)}`
    return json(
      {
        upload_url: `${visit}?${query}`,
        method,
        path: storagePath({ scheme, key }, settings),
        visit_url: visit,
      },
      { links: true },
    )
  },
})
