/** What may stand in a header of a reply. */

/** Headers that say how a reply is sent; whoever sends it writes them. */
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

/** Whether a text can be sent as it is, through every door. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text)
}

/** The text with everything percent-encoded that cannot be sent. */
export function encodeHeader(text: string): string {
  return text.toWellFormed().replace(/[^\t\x20-\x7e]/gu, (character) => encodeURIComponent(character))
}
