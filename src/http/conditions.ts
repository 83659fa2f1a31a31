/**
 * Conditions under which a client wants a file (RFC 9110 section 13): what it holds already, and what it will
 * not do without.
 */
import { parseHttpDate } from './http-date.ts'

/** What tells one version of a file from another. */
export interface Validators {
  /** The strong tag, quotes included. */
  readonly etag: string
  /** When it was put there, in Unix seconds; undefined for what has no date. */
  readonly modified?: number | undefined
  /** Whether that date names one version alone: nothing else stood there in the same second. */
  readonly exact?: boolean | undefined
}

type Headers = Readonly<Record<string, string | undefined>>

/** What becomes of a GET or HEAD: answered, 304, or 412 because of one header. */
export type Verdict = 'go on' | 'not modified' | { readonly failed: 'if-match' | 'if-unmodified-since' }

/**
 * Evaluates the conditions in the order of section 13.2.2. A header whose date is none, or for which the file
 * has no date, does not count. `now`: Unix seconds.
 */
export function judge(headers: Headers, { etag, modified }: Validators, now: number): Verdict {
  const since = (name: string): number | undefined =>
    headers[name] === undefined || modified === undefined ? undefined : parseHttpDate(headers[name], now)
  if (headers['if-match'] !== undefined) {
    // Compared strongly: a weak tag vouches for no bytes.
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

/**
 * Whether the part that a client has is of this very version (`If-Range`, section 13.1.5): the strong tag, or
 * exactly the date where it is exact.
 */
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
  // A tag may hold commas.
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (tag) => (weakly ? tag.replace(/^W\//, '') : tag) === etag,
  )
}
