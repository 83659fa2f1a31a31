/** Uploads: the operation of the gateway, and the object store behind its URLs. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { keepUpload } from '../../behaviours/uploads/upload.ts'
import { type Context, defineGroup } from '../../protocol/endpoint.ts'
import type { ApiError, RejectionType } from '../../protocol/errors.ts'
import { fileType } from '../../protocol/held-file.ts'
import type { GivenFile, GivenFiles } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { show } from '../../protocol/wording.ts'
import { createUploadUrl } from './create-upload-url.ts'
import { readUpload, sendUpload } from './send-upload.ts'
import { readObjectKey } from './signed-url.ts'

/** The error in a given file with its field, as a sentence without full stop, or undefined. */
function faultOf(
  { path, provider, contentType, bytes }: GivenFile,
  settings: Settings,
): ReturnType<GivenFiles['faultOf']> {
  const read = readObjectKey(path)
  if ('problem' in read) return { field: 'path', message: read.problem }
  const { providers } = settings.files
  if (provider !== undefined && !Object.hasOwn(providers, provider))
    return {
      field: 'provider',
      message: `expected ${Object.keys(providers)
        .map((known) => JSON.stringify(known))
        .join(' or ')} (setting files.providers), got ${show(provider)}`,
    }
  if (contentType !== undefined && !/^[\x20-\x7e]{1,1000}$/.test(contentType))
    return {
      field: 'contentType',
      message: `expected up to 1000 printable ASCII characters, got ${show(contentType)}`,
    }
  const maxBytes = settings.limits.fileBytes
  if (bytes.size > maxBytes)
    return {
      field: 'content',
      message: `expected at most ${maxBytes} bytes (setting limits.fileBytes), got ${bytes.size}`,
    }
  return undefined
}

/** Adds files to a new sandbox as uploads. Throws a `RangeError` for files that `faultOf` rejects. */
function put(
  files: readonly GivenFile[],
  { sandbox, settings }: Pick<Context, 'sandbox' | 'settings'>,
): void {
  for (const file of files) {
    const read = readObjectKey(file.path)
    const fault = faultOf(file, settings)
    if (fault !== undefined || 'problem' in read)
      throw new RangeError(`the file ${show(file.path)}: ${fault?.field}: ${fault?.message}`)
    const scheme = Object.entries(settings.files.providers).find(
      ([name]) => file.provider === undefined || name === file.provider,
    )?.[1] as string
    keepUpload(
      {
        scheme,
        key: read.key,
        type: file.contentType ?? fileType(file.bytes, read.key),
        bytes: file.bytes,
        uploadedAt: sandbox.clock.now() - (file.age ?? 0),
        headers: {},
      },
      { sandbox },
    )
  }
}

const givenFiles: GivenFiles = { faultOf, put }

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
function storeError(
  error: ApiError,
  ids: { readonly requestId: string; readonly traceId: string },
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const { name, own } = error.options
  const fields = {
    Code: own?.type ?? name ?? names[error.type] ?? (error.status < 500 ? 'InvalidRequest' : 'InternalError'),
    Message: error.message,
    RequestId: ids.requestId,
    TraceId: own?.traceId ?? ids.traceId,
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
