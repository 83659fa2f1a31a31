/** Word stems: two texts that share one are about the same thing. */

/** Words that nearly every sentence has. */
const common = new Set(
  (
    'a about an and are as at be but by can could do does for from get give has have how i if in into is ' +
    'it its let me my of on or our please should so tell that the their them then there these this to up ' +
    'use us want was we what ' +
    'when where which who will with would you your'
  ).split(' '),
)

/** The words of a text or a name (`unitPrice`, `unit_price`) in lower case. */
export function wordsIn(text: string): readonly string[] {
  return (
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** A word without its usual endings: `cities`, `converting`, `created` become `city`, `convert`, `creat`. */
export function stemOf(word: string): string {
  if (word.length < 4) return word
  const singular = word.replace(/ies$/, 'y').replace(/(?<=[^su])s$/, '')
  const stem = singular.replace(/(?:ing|ed|er|or|ion|e|y)$/, '')
  return stem.length < 3 ? singular : stem
}

/** The stems of a text without the most common words. */
export function stemsIn(text: string): ReadonlySet<string> {
  return new Set(
    wordsIn(text)
      .filter((word) => !common.has(word))
      .map(stemOf),
  )
}
