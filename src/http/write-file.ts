/** File responses: ranges, and conditions on entity tags (RFC 9110 sections 13 and 14). */
import type { AnsweredCall } from '../core/call-state.ts'
import { ApiError, envelope } from '../protocol/errors.ts'
import type { RequestContext, WireResponse } from './request-context.ts'

export interface FileBytes {
  readonly bytes: Uint8Array
  /** Their media type. */
  readonly type: string
  /** The strong tag, quotes included. */
  readonly etag: string
}

/** A file, or the requested range; `download` is the name for downloads. */
export function writeFile(
  { bytes, type, etag }: FileBytes,
  answered: AnsweredCall,
  request: RequestContext,
  download?: string,
): WireResponse {
  const { headers, response } = answered
  headers['content-type'] ??= type
  headers['accept-ranges'] = 'bytes'
  headers['etag'] = etag
  if (download !== undefined) headers['content-disposition'] = `inline; filename="${download}"`
  const wanted = request.headers
  if (wanted['if-match'] !== undefined && !includesTag(wanted['if-match'], etag)) {
    const got = wanted['if-match'].slice(0, 80)
    const message = `if-match: expected a list that contains the tag ${etag}, got ${got}.`
    return rejectFile(new ApiError('precondition_failed', message, { param: 'if-match' }), answered, request)
  }
  // Weak comparison: the bytes are the same in any case.
  if (includesTag(wanted['if-none-match']?.replaceAll('W/"', '"') ?? '', etag))
    return { status: 304, headers, body: undefined, answered }
  const isSameVersion = (wanted['if-range'] ?? etag).trim() === etag
  const range = isSameVersion ? rangeOf(bytes.length, wanted['range']) : undefined
  if (range === undefined) return { status: response.status, headers, body: bytes, answered }
  if (range.start >= range.end) {
    headers['content-range'] = `bytes */${bytes.length}`
    const got = wanted['range']?.slice(0, 80)
    const message = `range: expected a range within the file (${bytes.length} bytes), got ${got}.`
    return rejectFile(new ApiError('range_not_satisfiable', message, { param: 'range' }), answered, request)
  }
  headers['content-range'] = `bytes ${range.start}-${range.end - 1}/${bytes.length}`
  return { status: 206, headers, body: bytes.subarray(range.start, range.end), answered }
}

/** Whether a list of tags names a strong tag. A tag may contain commas. */
function includesTag(header: string, etag: string): boolean {
  const tags: readonly string[] = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return header.trim() === '*' || tags.includes(etag)
}

/** The rejection of a conditional or range request, in the envelope of its group. */
function rejectFile(error: ApiError, answered: AnsweredCall, { match }: RequestContext): WireResponse {
  const { headers, entry } = answered
  entry.changeStatus(error.status)
  const { requestId } = entry.cause
  const { type, options: own } = error
  entry.changeCause({ rejection: { type, code: error.status, param: own.param ?? '' } })
  const group = match.kind === 'found' ? match.route.group : undefined
  const ids = { requestId, traceId: requestId.replace(/^req_/, 'trc_') }
  // Headers of the file, not of the rejection.
  delete headers['content-encoding']
  const rendered = group?.renderError(error, ids) ?? { body: envelope(error, ids.traceId) }
  Object.assign(headers, { 'content-type': 'application/json' }, rendered.headers)
  const body = typeof rendered.body === 'string' ? rendered.body : JSON.stringify(rendered.body)
  return { status: error.status, headers, body, answered }
}

interface Range {
  readonly start: number
  /** Excluded; not after `start` if no byte of the file is in the range. */
  readonly end: number
}

/**
 * The requested range of `total` bytes; undefined for the whole file. One range is supported (`0-99`,
 * `100-`, `-100`); several ranges, other units and malformed headers are ignored, as the RFC allows: the
 * whole file is always a valid response.
 */
export function rangeOf(total: number, header: string | undefined): Range | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === '') return last === '' ? undefined : { start: Math.max(0, total - Number(last)), end: total }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  return { start, end: last === '' ? total : Math.min(Number(last) + 1, total) }
}
