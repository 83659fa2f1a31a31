/** A reply that is a file: its tag, the conditions under which the client wants it, and the part it wants. */
import type { AnsweredCall } from '../core/call-state.ts'
import { ApiError, envelope } from '../protocol/errors.ts'
import { holdsPart, judge, type Validators, type Verdict } from './conditions.ts'
import { applyRange, wholeFile } from './range.ts'
import type { RequestContext, WireReply } from './request-context.ts'

/** The bytes of a file and what tells its versions apart. */
export interface FileBytes extends Validators {
  readonly bytes: Uint8Array
  /** Their media type. */
  readonly type: string
}

/** A file, or the part of it that the client wants; `download` is the name it is shown under. */
export function writeFile(
  file: FileBytes,
  answered: AnsweredCall,
  request: RequestContext,
  download?: string,
): WireReply {
  const { headers, reply, startedAt } = answered
  const { bytes, type, etag } = file
  headers['content-type'] ??= type
  headers['accept-ranges'] = 'bytes'
  headers['etag'] = etag
  if (download !== undefined) headers['content-disposition'] = `inline; filename="${download}"`
  const now = Math.floor(startedAt / 1000)
  const verdict = judge(request.headers, file, now)
  if (verdict === 'not modified') return { status: 304, headers, body: undefined, answered }
  if (verdict !== 'go on')
    return refuseFile(unmetCondition(verdict, file, answered, request), answered, request)
  const range = holdsPart(request.headers['if-range'], file, now)
    ? applyRange(bytes.length, request.headers['range'])
    : wholeFile
  if (range.kind === 'full') return { status: reply.status, headers, body: bytes, answered }
  if (range.kind === 'unsatisfiable') {
    headers['content-range'] = `bytes */${bytes.length}`
    const got = request.headers['range']?.slice(0, 80)
    const message = `range: expected a part of the ${bytes.length} bytes, got ${got}.`
    return refuseFile(new ApiError('range_not_satisfiable', message, { param: 'range' }), answered, request)
  }
  headers['content-range'] = `bytes ${range.start}-${range.end}/${bytes.length}`
  return { status: 206, headers, body: bytes.subarray(range.start, range.end + 1), answered }
}

function unmetCondition(
  { failed }: Exclude<Verdict, string>,
  { etag }: FileBytes,
  { headers }: AnsweredCall,
  request: RequestContext,
): ApiError {
  const expected =
    failed === 'if-match'
      ? `expected a list with the tag ${etag}`
      : `expected no time before ${headers['last-modified']}, at which the file was put there`
  const message = `${failed}: ${expected}, got ${request.headers[failed]?.slice(0, 80)}.`
  return new ApiError('precondition_failed', message, { param: failed })
}

/** A file that is there and is not handed over, in the envelope of its group. */
function refuseFile(error: ApiError, answered: AnsweredCall, { match }: RequestContext): WireReply {
  const { headers, entry } = answered
  const group = match.kind === 'found' ? match.route.group : undefined
  const ids = { requestId: entry.requestId, traceId: entry.requestId.replace(/^req_/, 'trc_') }
  // Of the file, not of the refusal.
  delete headers['content-encoding']
  const rendered = group?.renderError(error, ids) ?? { body: envelope(error, ids.traceId) }
  Object.assign(headers, { 'content-type': 'application/json' }, rendered.headers)
  const body = typeof rendered.body === 'string' ? rendered.body : JSON.stringify(rendered.body)
  return { status: error.status, headers, body, answered }
}
