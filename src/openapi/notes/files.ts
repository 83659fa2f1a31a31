/**
 * What the document says of uploads beyond their schemas: the operation of the gateway, and the store that
 * its addresses lead to.
 */
import type { GroupNotes, Made } from './notes.ts'

const path = 'images/cat.png'

/** An address that was made for a file, taken apart into what a call is made of. */
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
  bucket: 'The bucket in the address: provider, session and region.',
  key: 'The path of the file, slashes included.',
}

export const filesNotes: GroupNotes = {
  title: 'Files',
  description: 'Addresses for uploads: the bytes go straight to the object store.',
  operations: {
    'files.createUploadUrl': {
      source: [
        'contract 4.8 and 2.5; the names of the region and of the second provider, which paths can be,',
        'how long an address is valid: decisions (docs/decisions/uploads.md)',
      ].join(' '),
      description: [
        'Send the bytes to `upload_url` with `method` and without an API key; 200 or 201 means that the',
        'file is at `visit_url`, and that other operations know it by `path`.',
      ].join(' '),
      calls: () => [
        { name: 'cos', summary: 'An address at the first provider', json: { path, storage_provider: 'COS' } },
        {
          name: 'oss',
          summary: 'An address at the second one, in a region',
          json: { path, storage_provider: 'OSS', region: 'cn-hangzhou' },
        },
        { name: 'traversal', summary: 'A path that leads out of its place', json: { path: '../secret' } },
        {
          name: 'unknown-provider',
          summary: 'A provider that is not offered',
          json: { path, storage_provider: 'S3' },
        },
      ],
    },
  },
  names: { 'files.createUploadUrl body': 'UploadUrlRequest', 'files.createUploadUrl reply': 'UploadTarget' },
  fields: { UploadTarget: 'Where a file is sent, and where it is afterwards.' },
}

export const uploadsNotes: GroupNotes = {
  title: 'Object store',
  description: [
    'What `upload_url` and `visit_url` lead to. It takes no API key and words its refusals in XML, as',
    'object stores do.',
  ].join(' '),
  params,
  operations: {
    'uploads.send': {
      source: 'contract 4.8 and 5; refusals: what object stores answer (docs/decisions/uploads.md)',
      description: [
        'The query is part of the address and signed: send it as it was returned. `POST` does the same',
        'where the settings say so. `content-md5` is held against the bytes.',
      ].join(' '),
      async calls(made) {
        const place = await placeOf(made)
        return [
          { name: 'sent', summary: 'The bytes of a picture', ...place, raw: svg },
          {
            name: 'api-key',
            summary: 'An API key that does not belong here',
            ...place,
            raw: svg,
            headers: { authorization: 'Bearer sk-your-key' },
          },
          {
            name: 'expired',
            summary: 'An address whose time is over',
            ...(await placeOf(made, 'sim-expired.svg')),
            raw: svg,
          },
          {
            name: 'bad-digest',
            summary: 'A sum that is not that of the bytes',
            ...place,
            raw: svg,
            headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' },
          },
          {
            name: 'store-error',
            summary: 'A store that fails',
            ...(await placeOf(made, 'sim-store-error.svg')),
            raw: svg,
          },
          {
            name: 'store-busy',
            summary: 'A store that is busy',
            ...(await placeOf(made, 'sim-store-busy.svg')),
            raw: svg,
          },
        ]
      },
    },
    'uploads.read': {
      source: [
        'contract 4.8 and 2.5; types, parts and refusals: what object stores answer',
        '(docs/decisions/uploads.md)',
      ].join(' '),
      description: 'The bytes with the type they were sent with. Parts can be asked for with `range`.',
      async calls(made) {
        const place = await placeOf(made)
        await made('uploads.send', { ...place, raw: svg })
        return [
          { name: 'file', summary: 'A file that was uploaded', params: place.params },
          {
            name: 'not-yet',
            summary: 'A file that was not',
            params: (await placeOf(made, 'images/dog.png')).params,
          },
        ]
      },
    },
  },
}
