/**
 * PUT (or POST) on an upload URL sends a file directly to the store. Like public stores, it rejects unknown
 * buckets, a second credential, wrong signatures, expired URLs and wrong checksums.
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { type Bucket, filePath, readBucket, storagePath } from '../../behaviours/uploads/file-url.ts'
import { getUpload, keepUpload, missingFileMessage } from '../../behaviours/uploads/upload.ts'
import { base64 } from '../../engine/bytes.ts'
import type { Call, HeldBytes } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { show } from '../../protocol/wording.ts'
import { fileBytes } from './create-upload-url.ts'
import { checkQuery, type Query } from './signed-url.ts'

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
    const { bytes, type, uploadedAt, headers } = file
    return {
      status: 200,
      headers: { ...headers, 'last-modified': new Date(uploadedAt).toUTCString() },
      body: {
        kind: 'bytes',
        content: bytes.content,
        type,
        etag: `"${bytes.md5}"`,
      },
    }
  },
})

/** Headers in which clients of the gateway send their API key. */
const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

/** Headers that stores keep with a file, besides its type. */
const storedHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
] as const

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
    const { settings } = context
    const { bucket: name, key } = call.params
    const bucket = bucketOf(name, context)
    rejectCredentials(call.headers)
    checkSignature(call, bucket, context)
    const bytes = call.body
    checkSize(bytes, settings)
    checkSum(bytes, call.headers['content-md5'])
    const type = call.headers['content-type']
    keepUpload(
      {
        scheme: bucket.scheme,
        key,
        type:
          type === undefined || type.trim() === ''
            ? 'application/octet-stream'
            : printable('content-type', type),
        bytes,
        uploadedAt: call.now,
        headers: storedHeadersIn(call.headers),
      },
      context,
    )
    context.sandbox.store.transitions.recordCreated(
      'file',
      storagePath({ scheme: bucket.scheme, key }, settings),
    )
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
      'gateway client (setting files.credentials).',
  )
}

function checkSignature(
  {
    method,
    params,
    now,
    query,
  }: Pick<Call, 'method' | 'now' | 'query'> & {
    readonly params: { readonly bucket: string; readonly key: string }
  },
  { scheme }: Bucket,
  { sandbox }: Context,
): void {
  const check = (asked: string): ReturnType<typeof checkQuery> =>
    checkQuery(
      { method: asked, scheme, bucket: params.bucket, key: params.key },
      query as Query,
      sandbox.seed,
    )
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

// The HTTP edge has checked this, but in-process callers have not.
function checkSize({ size }: HeldBytes, { limits: { fileBytes: maxBytes } }: Settings): void {
  if (size > maxBytes)
    throw new ApiError(
      'request_too_large',
      'Your proposed upload exceeds the maximum allowed size: expected at most ' +
        `${maxBytes} bytes, got ${size}.`,
    )
}

// RFC 1864: the MD5 of the body in base64.
function checkSum({ md5 }: HeldBytes, header: string | undefined): void {
  if (header === undefined || header.trim() === '') return
  const written = header.trim()
  if (!/^[A-Za-z0-9+/]{22}==$/.test(written))
    throw new ApiError(
      'invalid_request_error',
      'The Content-MD5 you specified is invalid: expected the 16 bytes of an MD5 in base64, got ' +
        `${show(written)}.`,
      { name: 'InvalidDigest' },
    )
  const right = base64(hexToBytes(md5))
  if (written !== right)
    throw new ApiError(
      'invalid_request_error',
      `The Content-MD5 you specified did not match what we received: expected ${right}, got ${written}.`,
      { name: 'BadDigest' },
    )
}

function storedHeadersIn(headers: Call['headers']): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of storedHeaders)
    if (headers[name] !== undefined && headers[name] !== '') found[name] = printable(name, headers[name])
  return found
}

// Downloads send it as a header, and in-process callers can pass characters that headers cannot contain.
function printable(name: string, value: string): string {
  if (/^[\t\x20-\x7e]{1,1000}$/.test(value)) return value.trim()
  throw new ApiError(
    'invalid_request_error',
    `\`${name}\`: expected up to 1000 printable ASCII characters, got ${show(value)}.`,
  )
}
