/**
 * POST /v1/files/upload_url: an address to which the client sends the bytes itself (contract 4.8). Stores
 * nothing.
 */
import { bucketName, fileAddress, storagePath } from '../../behaviours/uploads/address.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { json, originMark } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import { readObjectKey } from './object-key.ts'
import { uploadTarget, uploadUrlBody } from './schema.ts'
import { signedQuery, type Validity } from './signed-url.ts'

export const createUploadUrl = defineEndpoint({
  operation: 'files.createUploadUrl',
  method: 'POST',
  path: '/v1/files/upload_url',
  summary: 'Returns a signed URL for an upload',
  accepts: ['json'],
  upload: 'grant',
  body: uploadUrlBody,
  reply: uploadTarget,
  filePathOf(body) {
    const path = body !== null && typeof body === 'object' ? (body as { path?: unknown }).path : undefined
    return typeof path === 'string' ? path : undefined
  },
  act({ body, now, plan }, { world, settings }) {
    const scheme = schemeOf(body.storage_provider ?? undefined, settings)
    const read = readObjectKey(body.path, settings.files.pathBytes)
    if ('problem' in read) throw invalid([{ field: 'path', message: read.problem }], undefined)
    const { key } = read
    const { method } = settings.files
    const bucket = bucketName({
      scheme,
      tag: world.tag,
      region: body.region ?? body.storage_region ?? settings.files.region,
    })
    const validity = validityFrom(
      now,
      plan.upload?.expired === true ? undefined : settings.files.expiresAfter,
    )
    const signedFor = plan.upload?.wrongMethod === true ? (method === 'PUT' ? 'POST' : 'PUT') : method
    const query = signedQuery({ method: signedFor, scheme, bucket, key }, validity, world.seed, {
      tampered: plan.upload?.tampered === true,
    })
    const visit = `${originMark}${fileAddress(bucket, key)}`
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

function schemeOf(provider: string | undefined, { files: { providers } }: Settings): string {
  const [defaultProvider = ''] = Object.keys(providers)
  const name = provider ?? defaultProvider
  if (Object.hasOwn(providers, name)) return providers[name] as string
  const known = Object.keys(providers).map((known) => JSON.stringify(known))
  throw invalid(
    [
      {
        field: 'storage_provider',
        message: [
          `expected ${known.length === 1 ? '' : 'one of '}${known.join(', ')} (setting files.providers),`,
          `got ${show(name)}`,
        ].join(' '),
      },
    ],
    undefined,
  )
}

// Without a time to live the URL has already expired.
function validityFrom(now: number, ms: number | undefined): Validity {
  const from = Math.floor(now / 1000)
  return ms === undefined
    ? { from: from - 2, until: from - 1 }
    : { from, until: Math.ceil((now + ms) / 1000) }
}
