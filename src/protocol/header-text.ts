/** The texts and names of reply headers. */

/** Headers that describe the transmission; the integration that sends the reply writes them. */
export const transportHeaders: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'trailer',
  'upgrade',
  'te',
  'content-encoding',
])

/** Whether a text can be sent unchanged through every integration. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text)
}

/** The text with every other character percent-encoded. */
export function encodeHeader(text: string): string {
  return text.toWellFormed().replace(/[^\t\x20-\x7e]/gu, (character) => encodeURIComponent(character))
}
