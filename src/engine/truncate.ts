/** Texts that are kept for long, without the larger texts that they come from. */

/**
 * The first `length` characters of a text, copied: a slice would keep the whole text in memory behind it.
 */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : (JSON.parse(JSON.stringify(text.slice(0, length))) as string)
}

/**
 * The same text, copied: what was sliced or matched out of a larger text would keep all of that in memory.
 */
export function copied(text: string): string {
  return ` ${text}`.slice(1)
}
