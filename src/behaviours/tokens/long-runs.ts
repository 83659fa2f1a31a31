/** Splits long runs of one kind of character, which take byte-pair encoding very long. */

/** The longest run of characters that is encoded at once. */
export const maxRunLength = 96

// Runs are letters with marks, symbols with marks, or blanks and slashes. Byte-pair encoding is quadratic in
// the length of a run: 32,000 times "a" takes over a second. A split changes the count by at most one token,
// and ordinary text has none.
const runs = new RegExp(
  ['[\\p{L}\\p{M}]', '[^\\s\\p{L}\\p{N}]', '[\\s/]']
    .map((kind) => `${kind}{${maxRunLength}}(?=${kind})`)
    .join('|'),
  'gu',
)

/** The text in parts that have no run longer than `maxRunLength`. */
export function splitLongRuns(text: string): readonly string[] {
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

// A plain loop is several times faster than the exact pattern, and ordinary text ends here.
function mayHaveLongRun(text: string): boolean {
  let solid = 0
  let loose = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    solid = code > 32 ? solid + 1 : 0
    // There are blanks beyond ASCII too.
    loose = code <= 32 || code === 47 || code > 126 ? loose + 1 : 0
    if (solid > maxRunLength || loose > maxRunLength) return true
  }
  return false
}
