/** The probes of `gateway-sim check` for upload URLs and the object store. */
import { from, type ProbeSet, probeImage, rejections, withoutKey } from '../../protocol/probe.ts'
import { createUploadUrl } from './create-upload-url.ts'
import { readUpload, sendUpload } from './send-upload.ts'

const target = 'an upload URL'
const sent = { spend: 'little' } as const

export const filesProbes: ProbeSet = {
  group: 'files',
  probes: [
    withoutKey('an upload URL without an API key', createUploadUrl, { json: { path: 'checks/probe.png' } }),
    ...rejections({ endpoint: createUploadUrl, json: { storage_provider: 'COS' } }, [
      ['an upload URL without a path', '`path` (string, required)', {}],
    ]),
    {
      name: target,
      endpoint: createUploadUrl,
      states: 'method: HTTP method to use on upload_url (PUT or POST)',
      spend: 'little',
      request: { json: { path: 'checks/probe.png', storage_provider: 'COS' } },
      expect: { status: [200] },
    },
    {
      ...sent,
      name: 'an upload',
      endpoint: sendUpload,
      states: 'a 200 or 201 answer means success',
      request: { to: from(target, '/upload_url'), method: from(target, '/method'), file: probeImage },
      expect: { status: [200, 201] },
    },
    {
      ...sent,
      name: 'the uploaded file',
      endpoint: readUpload,
      states: 'Afterwards the file is read at `visit_url`',
      request: { to: from(target, '/visit_url'), after: 'an upload' },
      expect: { status: [200] },
    },
  ],
}
