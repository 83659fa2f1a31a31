/** File responses: entity tags, conditional requests (RFC 9110 section 13) and ranges (section 14). */
import type { AnsweredCall } from '../core/call-state.ts'
import { ApiError, envelope } from '../protocol/errors.ts'
import type { RequestContext, WireResponse } from './request-context.ts'

/** The bytes of a file and its validators. */
export interface FileBytes extends Validators {
  readonly bytes: Uint8Array
  /** Their media type. */
  readonly type: string
}

/** A file, or the requested range; `download` is the name for downloads. */
export function writeFile(
  file: FileBytes,
  answered: AnsweredCall,
  request: RequestContext,
  download?: string,
): WireResponse {
  const { headers, response, startedAt } = answered
  const { bytes, type, etag } = file
  headers['content-type'] ??= type
  headers['accept-ranges'] = 'bytes'
  headers['etag'] = etag
  if (download !== undefined) headers['content-disposition'] = `inline; filename="${download}"`
  const now = Math.floor(startedAt / 1000)
  const verdict = judge(request.headers, file, now)
  if (verdict === 'not modified') return { status: 304, headers, body: undefined, answered }
  if (verdict !== 'go on')
    return rejectFile(unmetCondition(verdict, file, answered, request), answered, request)
  const range = holdsPart(request.headers['if-range'], file, now)
    ? applyRange(bytes.length, request.headers['range'])
    : wholeFile
  if (range.kind === 'full') return { status: response.status, headers, body: bytes, answered }
  if (range.kind === 'unsatisfiable') {
    headers['content-range'] = `bytes */${bytes.length}`
    const got = request.headers['range']?.slice(0, 80)
    const message = `range: expected a range within the file (${bytes.length} bytes), got ${got}.`
    return rejectFile(new ApiError('range_not_satisfiable', message, { param: 'range' }), answered, request)
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
      ? `expected a list that contains the tag ${etag}`
      : `expected ${headers['last-modified']} (the time of the upload) or later`
  const message = `${failed}: ${expected}, got ${request.headers[failed]?.slice(0, 80)}.`
  return new ApiError('precondition_failed', message, { param: failed })
}

/** The rejection of a conditional or range request, in the envelope of its group. */
function rejectFile(error: ApiError, answered: AnsweredCall, { match }: RequestContext): WireResponse {
  const { headers, entry } = answered
  entry.status = error.status
  const { requestId } = entry.cause
  const { type, options: own } = error
  entry.cause.rejection = { type, code: error.status, param: own.param ?? '' }
  const group = match.kind === 'found' ? match.route.group : undefined
  const ids = { requestId, traceId: requestId.replace(/^req_/, 'trc_') }
  // Headers of the file, not of the rejection.
  delete headers['content-encoding']
  const rendered = group?.renderError(error, ids) ?? { body: envelope(error, ids.traceId) }
  Object.assign(headers, { 'content-type': 'application/json' }, rendered.headers)
  const body = typeof rendered.body === 'string' ? rendered.body : JSON.stringify(rendered.body)
  return { status: error.status, headers, body, answered }
}

/** `end` is included, as in `content-range`. */
type Range =
  | { readonly kind: 'full' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

/** Not satisfiable. */
const wholeFile: Range = { kind: 'full' }

/**
 * The requested range of `total` bytes. One range is supported (`0-99`, `100-`, `-100`); several ranges,
 * other units and malformed headers are ignored, as the RFC allows: the whole file is always a valid
 * response.
 */
export function applyRange(total: number, rangeHeader: string | undefined): Range {
  const written = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(rangeHeader ?? '')
  if (written === null) return wholeFile
  const [, first = '', last = ''] = written
  if (first === '') {
    if (last === '') return wholeFile
    const length = Math.min(Number(last), total)
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start: total - length, end: total - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return wholeFile
  if (start >= total) return { kind: 'unsatisfiable' }
  return { kind: 'part', start, end: last === '' ? total - 1 : Math.min(Number(last), total - 1) }
}

/** The validators of a file. */
interface Validators {
  /** The strong tag, quotes included. */
  readonly etag: string
  /** The time of the upload in Unix seconds; undefined if unknown. */
  readonly modified?: number | undefined
  /** Whether the date is a strong validator: no other version existed in the same second. */
  readonly exact?: boolean | undefined
}

type Headers = Readonly<Record<string, string | undefined>>

/** The result of the conditions of a GET or HEAD: a response, 304, or 412 because of one header. */
type Verdict = 'go on' | 'not modified' | { readonly failed: 'if-match' | 'if-unmodified-since' }

/**
 * Evaluates the conditions in the order of section 13.2.2. A header whose date is none, or for which the file
 * has no date, does not count. `now`: Unix seconds.
 */
export function judge(headers: Headers, { etag, modified }: Validators, now: number): Verdict {
  const since = (name: string): number | undefined =>
    headers[name] === undefined || modified === undefined ? undefined : parseHttpDate(headers[name], now)
  if (headers['if-match'] !== undefined) {
    // Strong comparison: a weak tag does not guarantee identical bytes.
    if (!names(headers['if-match'], etag, false)) return { failed: 'if-match' }
  } else {
    const date = since('if-unmodified-since')
    if (date !== undefined && (modified as number) > date) return { failed: 'if-unmodified-since' }
  }
  if (headers['if-none-match'] !== undefined)
    return names(headers['if-none-match'], etag, true) ? 'not modified' : 'go on'
  const date = since('if-modified-since')
  return date !== undefined && (modified as number) <= date ? 'not modified' : 'go on'
}

/** Whether the client's part is of this version (`If-Range`): the strong tag, or an exact date. */
export function holdsPart(
  ifRange: string | undefined,
  { etag, modified, exact }: Validators,
  now: number,
): boolean {
  if (ifRange === undefined) return true
  return (
    ifRange.trim() === etag ||
    (exact === true && modified !== undefined && parseHttpDate(ifRange, now) === modified)
  )
}

function names(header: string, etag: string, weakly: boolean): boolean {
  if (header.trim() === '*') return true
  // A tag may contain commas.
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (tag) => (weakly ? tag.replace(/^W\//, '') : tag) === etag,
  )
}

/**
 * Header dates (RFC 9110 section 5.6.7) in the three formats that a recipient must accept. `Date.parse`
 * accepts more, uses the local time zone for one of them, and differs between engines.
 */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const time = '(\\d\\d):(\\d\\d):(\\d\\d)'
const fixed = new RegExp(`^${day}, (\\d\\d) (\\w{3}) (\\d{4}) ${time} GMT$`)
const obsolete = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d\\d)-(\\w{3})-(\\d\\d) ${time} GMT$`,
)
const asctime = new RegExp(`^${day} (\\w{3}) (\\d\\d| \\d) ${time} (\\d{4})$`)

/** Unix seconds, or undefined. `now` (Unix seconds) determines the century of a two-digit year. */
export function parseHttpDate(text: string, now: number): number | undefined {
  const written = text.trim()
  const [, d1, month1, year1, ...time1] = fixed.exec(written) ?? []
  if (d1 !== undefined) return timestamp(Number(year1), month1, d1, time1)
  const [, d2, month2, year2, ...time2] = obsolete.exec(written) ?? []
  if (d2 !== undefined) {
    const thisYear = new Date(now * 1000).getUTCFullYear()
    const year = thisYear - (thisYear % 100) + Number(year2)
    const found = timestamp(year, month2, d2, time2)
    // A year more than fifty years ahead is in the past century.
    return found !== undefined && year > thisYear + 50 ? timestamp(year - 100, month2, d2, time2) : found
  }
  const [, month3, d3, hours, minutes, seconds, year3] = asctime.exec(written) ?? []
  return d3 === undefined ? undefined : timestamp(Number(year3), month3, d3, [hours, minutes, seconds])
}

function timestamp(
  year: number,
  month: string | undefined,
  date: string,
  time: readonly (string | undefined)[],
): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number)
  const at = months.indexOf(month ?? '')
  // A leap second (60) counts as the next second.
  if (at < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined
  const milliseconds = new Date(0).setUTCFullYear(year, at, Number(date))
  return new Date(milliseconds).getUTCDate() === Number(date)
    ? milliseconds / 1000 + hours * 3600 + minutes * 60 + seconds
    : undefined
}
