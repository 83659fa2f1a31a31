/** How many mistakes somebody is told about at once, and in which words. */

/** Further ones would not help the reader, and a large file could have millions. */
export const maxMistakes = 50

/** For so many of them a similar word is looked for; the others only say what is expected. */
export const maxSuggestions = 20

/** `1 mistake`, `more than 50 mistakes; the first of them`. */
export function mistakesInWords(count: number): string {
  if (count > maxMistakes) return `more than ${maxMistakes} mistakes; the first of them`
  return `${count} mistake${count === 1 ? '' : 's'}`
}
