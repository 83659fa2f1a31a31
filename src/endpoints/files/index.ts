/** Uploads: the operation of the gateway (contract 4.8), and the object store behind its URLs. */
import { openaiError, openaiHeaders } from '../../behaviours/refusals/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { createUploadUrl } from './create-upload-url.ts'
import { givenFiles } from './given-file.ts'
import { readUpload } from './read-upload.ts'
import { sendUpload } from './send-upload.ts'
import { storeError } from './store-error.ts'

export const files = defineGroup({
  name: 'files',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [createUploadUrl],
  givenFiles,
  renderError: openaiError,
  replyHeaders: openaiHeaders,
})

/** The store takes no key: the signed URL is the permission (contract 5). */
export const uploads = defineGroup({
  name: 'uploads',
  credentials: [],
  endpoints: [sendUpload, readUpload],
  renderError: storeError,
  replyHeaders: ({ requestId }) => ({ 'x-request-id': requestId }),
})
