/** Uploads: the operation of the gateway, and the object store behind its URLs. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineGroup, type EndpointGroup } from '../../protocol/endpoint.ts'
import type { RejectionType } from '../../protocol/errors.ts'
import { createUploadUrl } from './create-upload-url.ts'
import { givenFiles } from './given-files.ts'
import { readUpload, sendUpload } from './send-upload.ts'

/** The errors of the object store behind an upload URL: XML, with their own codes. */
const names: Readonly<Partial<Record<RejectionType, string>>> = {
  invalid_request_error: 'InvalidArgument',
  permission_error: 'AccessDenied',
  not_found_error: 'NoSuchKey',
  method_not_allowed: 'MethodNotAllowed',
  precondition_failed: 'PreconditionFailed',
  request_too_large: 'EntityTooLarge',
  range_not_satisfiable: 'InvalidRange',
  overloaded_error: 'SlowDown',
}

/** The error document of the store. */
const storeError: EndpointGroup['renderError'] = (error, ids) => {
  const { name, ownType } = error.options
  const fields = {
    Code: ownType ?? name ?? names[error.type] ?? (error.status < 500 ? 'InvalidRequest' : 'InternalError'),
    Message: error.message,
    RequestId: ids.requestId,
    TraceId: ids.traceId,
  }
  const lines = Object.entries(fields).map(([name, value]) => `\t<${name}>${escaped(value)}</${name}>\n`)
  return {
    body: `<?xml version='1.0' encoding='utf-8' ?>\n<Error>\n${lines.join('')}</Error>\n`,
    headers: { 'content-type': 'application/xml' },
  }
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// Quoted input may contain characters that XML does not allow.
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>]/g, (character) => references[character] as string)
}

export const files = defineGroup({
  name: 'files',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [createUploadUrl],
  givenFiles,
  renderError: openaiError,
  responseHeaders: openaiHeaders,
})

/** The store takes no API key: the signature of the URL is the permission. */
export const uploads = defineGroup({
  name: 'uploads',
  credentials: [],
  endpoints: [sendUpload, readUpload],
  renderError: storeError,
  responseHeaders: ({ requestId }) => ({ 'x-request-id': requestId }),
})
