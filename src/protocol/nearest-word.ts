/** Finds the known word that is closest to a misspelled one. */

type Words = readonly string[]

/** Longer strings are not misspelled words. */
const maxWordLength = 200

/** Longer lists were not written by hand. */
const maxWords = 1000

/** The closest word, or undefined: it differs in at most a third of its letters, whatever their case. */
export function nearestWord(written: string, words: Words): string | undefined {
  if (written.length > maxWordLength || words.length > maxWords) return undefined
  const plain = (word: string): string => word.toLowerCase().replace(/[_\-\s]/g, '')
  const letters = (word: string): string => [...plain(word)].sort().join('')
  let nearest: { word: string; distance: number } | undefined
  for (const word of words) {
    const distance = letters(written) === letters(word) ? 0 : editDistance(plain(written), plain(word))
    if (nearest === undefined || distance < nearest.distance) nearest = { word, distance }
  }
  if (nearest === undefined) return undefined
  return nearest.distance <= Math.max(1, Math.floor(nearest.word.length / 3)) ? nearest.word : undefined
}

/** `expected one of a, b`; a single word is quoted: ``expected `all` ``. */
export const expectedWords = (words: Words): string =>
  words.length === 1 ? `expected \`${words[0]}\`` : `expected one of ${words.join(', ')}`

/** `did you mean serve?` after `before`; `otherwise` if no word is close. */
export function didYouMean(written: string, words: Words, otherwise?: string, before = ''): string {
  const nearest = nearestWord(written, words)
  return nearest === undefined ? (otherwise ?? expectedWords(words)) : `${before}did you mean ${nearest}?`
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
    }
    row = next
  }
  return row[b.length] as number
}
