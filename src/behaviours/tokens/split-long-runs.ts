/** Cuts texts where a byte-pair tokenizer would take too long. */

/** How many characters in a row that the tokenizer takes together are encoded at once. */
export const maxRunLength = 96

// What it takes together: letters with marks, signs with marks, blanks and slashes. Byte-pair encoding is
// quadratic in the
// length of such a run: 32,000 times "a" takes over a second. Cutting first bounds the work, and changes a
// count by at
// most one at each cut; usual text has none.
const runs = new RegExp(
  ['[\\p{L}\\p{M}]', '[^\\s\\p{L}\\p{N}]', '[\\s/]']
    .map((kind) => `${kind}{${maxRunLength}}(?=${kind})`)
    .join('|'),
  'gu',
)

/** The text in parts without a run beyond `longestRun`. */
export function withoutLongRuns(text: string): readonly string[] {
  if (!mayHaveLongRun(text)) return [text]
  const parts: string[] = []
  let from = 0
  for (const { 0: run, index } of text.matchAll(runs)) {
    parts.push(text.slice(from, index + run.length))
    from = index + run.length
  }
  parts.push(text.slice(from))
  return parts
}

// Whether a run may be too long. A plain loop is several times faster than the exact pattern, and usual text
// ends here.
function mayHaveLongRun(text: string): boolean {
  let solid = 0
  let loose = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    solid = code > 32 ? solid + 1 : 0
    // Beyond ASCII stand blanks too.
    loose = code <= 32 || code === 47 || code > 126 ? loose + 1 : 0
    if (solid > maxRunLength || loose > maxRunLength) return true
  }
  return false
}
