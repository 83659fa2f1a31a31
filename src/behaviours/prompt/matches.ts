/**
 * All matches of a global pattern. `matchAll` creates a RegExp for each text, which costs more than most
 * searches.
 */
export function matchesIn(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let one = pattern.exec(text); one !== null; one = pattern.exec(text)) {
    found.push(one)
    if (one[0] === '') pattern.lastIndex++
  }
  return found
}
