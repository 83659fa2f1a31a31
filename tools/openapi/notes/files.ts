/** Notes of the document on uploads: the operation of the gateway, and the object store of its URLs. */
import type { GroupNotes, Made } from '../notes.ts'

const path = 'images/cat.png'

/** The URL of an upload, split into path parameters and query. */
async function placeOf(made: Made, file = path) {
  const { upload_url: written } = await made('files.createUploadUrl', { json: { path: file } })
  const { pathname, searchParams } = new URL(String(written))
  const [, , bucket = '', ...key] = pathname.split('/')
  return { params: { bucket, key: key.join('/') }, query: Object.fromEntries(searchParams) }
}

const svg = {
  type: 'image/svg+xml',
  text: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4"/></svg>',
}
const params = {
  bucket: 'The bucket in the URL: provider, session and region.',
  key: 'The path of the file, including slashes.',
}

export const filesNotes: GroupNotes = {
  title: 'Files',
  description: 'Upload URLs, with which clients send bytes directly to the object store.',
  operations: {
    'files.createUploadUrl': {
      source:
        'the contract; names of the region and the second provider, allowed paths and the lifetime of ' +
        'URLs: docs/decisions/uploads.md',
      description:
        'Send the bytes to `upload_url` with the HTTP method in `method`, without an API key. ' +
        'After a 200 or 201, the file is available at `visit_url`, and other operations accept the `path`.',
      calls: () => [
        {
          name: 'cos',
          summary: 'An upload URL of the first provider',
          json: { path, storage_provider: 'COS' },
        },
        {
          name: 'oss',
          summary: 'An upload URL of the second provider with a region',
          json: { path, storage_provider: 'OSS', region: 'cn-hangzhou' },
        },
        { name: 'traversal', summary: 'A path that leaves its directory', json: { path: '../secret' } },
        {
          name: 'unknown-provider',
          summary: 'An unknown provider',
          json: { path, storage_provider: 'S3' },
        },
      ],
    },
  },
  names: {
    'files.createUploadUrl body': 'UploadUrlRequest',
    'files.createUploadUrl response': 'UploadTarget',
  },
  fields: { UploadTarget: 'The URLs for upload and download.' },
}

export const uploadsNotes: GroupNotes = {
  title: 'Object store',
  description:
    'The target of `upload_url` and `visit_url`. It takes no API key, and errors are XML, as in ' +
    'object stores.',
  params,
  operations: {
    'uploads.send': {
      source: 'the contract; errors: public object stores (docs/decisions/uploads.md)',
      description:
        'The query is part of the signature: send it exactly as returned. `POST` is also accepted ' +
        'if the settings allow it.',
      async calls(made) {
        const place = await placeOf(made)
        return [
          { name: 'sent', summary: 'The bytes of an image', ...place, raw: svg },
          {
            name: 'api-key',
            summary: 'An unexpected API key',
            ...place,
            raw: svg,
            headers: { authorization: 'Bearer sk-your-key' },
          },
          {
            name: 'expired',
            summary: 'An expired URL',
            ...(await placeOf(made, 'sim-expired.svg')),
            raw: svg,
          },
          {
            name: 'store-error',
            summary: 'A failing store',
            ...(await placeOf(made, 'sim-store-error.svg')),
            raw: svg,
          },
          {
            name: 'store-busy',
            summary: 'A busy store',
            ...(await placeOf(made, 'sim-store-busy.svg')),
            raw: svg,
          },
        ]
      },
    },
    'uploads.read': {
      source: 'the contract; types, ranges and errors: public object stores ' + '(docs/decisions/uploads.md)',
      description: 'Returns the bytes with the `content-type` of the upload. `range` is supported.',
      async calls(made) {
        const place = await placeOf(made)
        await made('uploads.send', { ...place, raw: svg })
        return [
          { name: 'file', summary: 'An uploaded file', params: place.params },
          {
            name: 'not-yet',
            summary: 'A file that was never uploaded',
            params: (await placeOf(made, 'images/dog.png')).params,
          },
        ]
      },
    },
  },
}
