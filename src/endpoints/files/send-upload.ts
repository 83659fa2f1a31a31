/**
 * PUT (or POST) on an upload URL sends a file directly to the store. Like public stores, it rejects unknown
 * buckets, a second credential, wrong signatures and expired URLs.
 */
import { type Bucket, filePath, readBucket, storagePath } from '../../behaviours/uploads/file-url.ts'
import { getUpload, keepUpload, missingFileMessage } from '../../behaviours/uploads/upload.ts'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { heldFile } from '../../protocol/held-file.ts'
import { show } from '../../protocol/wording.ts'
import { expectedMediaType, fileBytes, isMediaType } from './given-files.ts'
import { checkQuery, type Query, type Signed } from './signed-url.ts'

/** GET on a `visit_url` returns an uploaded file with its type and takes no API key. */
export const readUpload = defineEndpoint({
  operation: 'uploads.read',
  method: 'GET',
  path: filePath,
  tail: true,
  summary: 'Download an uploaded file',
  extension: 'serves uploaded files at `visit_url`',
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
        `The specified key does not exist: ${missingFileMessage(name, context)}.`,
      )
    const response = heldFile(file.bytes, name.key, file.type)
    return { ...response, headers: { 'last-modified': new Date(file.uploadedAt).toUTCString() } }
  },
})

/** Headers in which clients of the gateway send their API key. */
const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

export const sendUpload = defineEndpoint({
  operation: 'uploads.send',
  method: 'PUT',
  alsoMethods: ['POST'],
  path: filePath,
  tail: true,
  summary: 'Upload a file to its signed URL',
  extension: 'accepts uploads at `upload_url`',
  open: true,
  continues: true,
  accepts: ['bytes'],
  upload: 'receive',
  body: fileBytes,
  idsIn: { params: ['bucket'] },
  filePathOf: (_body, params) => params['key'],
  act(call, context) {
    const { bucket, key } = call.params
    const { scheme } = bucketOf(bucket, context)
    rejectCredentials(call.headers)
    checkSignature(call, { bucket, key }, context)
    const bytes = call.body
    keepUpload({ scheme, key, type: mediaTypeIn(call.headers), bytes, uploadedAt: call.now }, context)
    const path = storagePath({ scheme, key }, context.settings)
    context.sandbox.store.transitions.recordCreated('file', path)
    return {
      status: 200,
      headers: { etag: `"${bytes.md5}"`, 'content-length': '0' },
      body: { kind: 'none' },
    }
  },
})

/** The bucket of a URL, if it belongs to this session. Throws a 404. */
function bucketOf(name: string, { sandbox, settings }: Context): Bucket {
  const bucket = readBucket(name)
  if (
    bucket !== undefined &&
    bucket.tag === sandbox.tag &&
    Object.values(settings.files.providers).includes(bucket.scheme)
  )
    return bucket
  throw new ApiError(
    'not_found_error',
    `Unknown bucket ${show(name)} in the session "${sandbox.name}": expected a URL from a response to ` +
      'POST /v1/files/upload_url in that session.',
    { name: 'NoSuchBucket' },
  )
}

function rejectCredentials(headers: Call['headers']): void {
  const found = credentials.find((header) => headers[header] !== undefined && headers[header] !== '')
  if (found === undefined) return
  throw new ApiError(
    'invalid_request_error',
    `Only one auth mechanism allowed: the URL is signed, but the request also has the header ` +
      `\`${found}\`. Upload with a plain HTTP request without an API key, not with the ` +
      'gateway client.',
  )
}

function checkSignature(
  { method, now, query }: Pick<Call, 'method' | 'now' | 'query'>,
  file: Omit<Signed, 'method'>,
  { sandbox }: Context,
): void {
  const check = (tried: string): ReturnType<typeof checkQuery> =>
    checkQuery({ ...file, method: tried }, query as Query, sandbox.seed)
  const found = check(method)
  if (found === 'unsigned')
    throw new ApiError(
      'permission_error',
      'Access Denied: the URL has no signature. Use `upload_url` exactly as returned, with its query.',
    )
  if (found === 'mismatch') {
    const signedFor = ['PUT', 'POST'].find((other) => other !== method && check(other) !== 'mismatch')
    if (signedFor !== undefined)
      throw new ApiError(
        'method_not_allowed',
        `The method ${method} is not allowed against this resource: the URL is signed for ${signedFor} ` +
          '(the `method` in the response from POST /v1/files/upload_url).',
        { headers: { allow: signedFor } },
      )
    throw new ApiError(
      'permission_error',
      'The request signature we calculated does not match the signature you provided: the bucket, ' +
        'path or query of the URL was changed. Use `upload_url` exactly as returned, without encoding it ' +
        'again.',
      { name: 'SignatureDoesNotMatch' },
    )
  }
  if (now <= found.until * 1000) return
  throw new ApiError(
    'permission_error',
    `Request has expired: the URL was valid until ${new Date(found.until * 1000).toISOString()}, and the ` +
      `current time is ${new Date(now).toISOString()}. Get a new URL from POST /v1/files/upload_url.`,
  )
}

/** The type is sent again with each download; in-process callers can pass what no header can contain. */
function mediaTypeIn({ 'content-type': type = '' }: Call['headers']): string {
  if (type.trim() === '') return 'application/octet-stream'
  if (isMediaType(type)) return type.trim()
  throw new ApiError('invalid_request_error', `\`content-type\`: ${expectedMediaType}, got ${show(type)}.`)
}
