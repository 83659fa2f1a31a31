/** GET on a `visit_url`: the bytes of an uploaded file with their type, read without a key (contract 4.8). */

import { filePath } from '../../behaviours/uploads/address.ts'
import { getUpload, missingFileMessage } from '../../behaviours/uploads/upload.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { bucketOf } from './send-upload.ts'

export const readUpload = defineEndpoint({
  operation: 'uploads.read',
  method: 'GET',
  path: filePath,
  tail: true,
  summary: 'Returns an uploaded file',
  extension: 'The object store behind `visit_url`: the contract says that the file is read there.',
  open: true,
  accepts: [],
  upload: 'serve',
  idsIn: { params: ['bucket'] },
  filePathOf: (_body, params) => params['key'],
  act(call, context) {
    const { scheme } = bucketOf(call.params.bucket, context)
    const name = { scheme, key: call.params.key }
    const file = getUpload(name, context)
    if (typeof file !== 'object')
      throw new ApiError(
        'not_found_error',
        `The specified key does not exist: ${missingFileMessage(name, file, context)}.`,
      )
    const { bytes, type, uploadedAt, headers, replacedWithinSecond } = file
    return {
      status: 200,
      headers: { ...headers, 'last-modified': new Date(uploadedAt).toUTCString() },
      body: {
        kind: 'bytes',
        content: bytes.content,
        type,
        etag: `"${bytes.md5}"`,
        modified: Math.floor(uploadedAt / 1000),
        exact: replacedWithinSecond !== true,
      },
    }
  },
})
