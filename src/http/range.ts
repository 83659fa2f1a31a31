/** Which part of a file a `Range` header asks for, and whether the client has it already (RFC 9110 sections 14 and 13). Knows nothing of replies. */

/** `end` is included, as in `content-range`. */
export type Range = { readonly kind: 'full' } | { readonly kind: 'part'; readonly start: number; readonly end: number } | { readonly kind: 'unsatisfiable' }

const full: Range = { kind: 'full' }

/**
 * The part of `total` bytes that is asked for. One range is honoured (`0-99`, `100-`, `-100`); several, another unit or
 * a malformed header are ignored, as the RFC allows: the whole file is always a right answer. `etag` is the strong one
 * of the file, quotes included.
 */
export function applyRange(total: number, rangeHeader: string | undefined, ifRangeHeader: string | undefined, etag: string): Range {
  const written = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(rangeHeader ?? '')
  if (written === null) return full
  // A weak tag or a date can never vouch for bytes: the RFC wants the whole file then.
  if (ifRangeHeader !== undefined && ifRangeHeader.trim() !== etag) return full
  const [, first = '', last = ''] = written
  if (first === '') {
    if (last === '') return full
    const length = Math.min(Number(last), total)
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start: total - length, end: total - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return full
  if (start >= total) return { kind: 'unsatisfiable' }
  return { kind: 'part', start, end: last === '' ? total - 1 : Math.min(Number(last), total - 1) }
}

/** Whether an `If-None-Match` header names a file (RFC 9110 section 13.1.2): `*`, or its tag among others, weak or strong. */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
