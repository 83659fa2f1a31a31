/** The text of bytes that are meant to be UTF-8, or the place where they are not. */

export type ReadText =
  | { readonly text: string }
  /** From 1, as an editor counts. */
  | { readonly line: number; readonly column: number }

const replacement = '\uFFFD'
const replacementBytes = [0xef, 0xbf, 0xbd]

/** Decodes UTF-8; nothing is replaced silently. A byte order mark is left out. */
export function readText(bytes: Uint8Array): ReadText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    const before = new TextDecoder('utf-8').decode(bytes.subarray(0, wrongFrom(bytes)))
    const lines = before.split('\n')
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  }
}

/** How many bytes stand before the first one that is wrong. */
function wrongFrom(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const encoder = new TextEncoder()
  let offset = 0
  for (
    let at = text.indexOf(replacement), from = 0;
    at >= 0;
    from = at + 1, at = text.indexOf(replacement, from)
  ) {
    offset += encoder.encode(text.slice(from, at)).length
    // Somebody may have written this very character.
    if (!replacementBytes.every((byte, index) => bytes[offset + index] === byte)) return offset
    offset += replacementBytes.length
  }
  return offset
}
