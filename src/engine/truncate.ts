/** Truncates texts that are kept for long. */

/**
 * The first `length` characters of a text, copied: a slice would keep the whole text in memory behind it.
 */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : (JSON.parse(JSON.stringify(text.slice(0, length))) as string)
}
