/** Cuts texts that are to be kept. */

/**
 * The first `length` characters of a text. A slice alone would hold the whole text in memory behind it; this
 * is a text of its own.
 */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : (JSON.parse(JSON.stringify(text.slice(0, length))) as string)
}
