/** Which part of a file a `Range` header asks for (RFC 9110 section 14). */

/** `end` is included, as in `content-range`. */
export type Range =
  | { readonly kind: 'full' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

/** No part of it. */
export const wholeFile: Range = { kind: 'full' }

/**
 * The part of `total` bytes that is asked for. One range is honoured (`0-99`, `100-`, `-100`); several,
 * another unit or a malformed header are ignored, as the RFC allows: the whole file is always a right answer.
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
