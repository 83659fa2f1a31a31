/** The words of texts and names, and their stems: two texts that share a stem are about the same thing. */

/** Words that nearly every sentence has. */
const common = new Set(
  (
    'a about an and are as at be but by can could do does for from get give has have how i if in into is ' +
    'it its let me my of on or our please should so tell that the their them then there these this to up ' +
    'use us want was we what ' +
    'when where which who will with would you your'
  ).split(' '),
)

export const isCommon = (word: string): boolean => common.has(word.toLowerCase())

/** The words of a text or a name (`unitPrice`, `unit_price`) in lower case. */
export function wordsIn(text: string): readonly string[] {
  const parted = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/(?<=[^su])s$/, '')

/** A word without its usual endings: `cities`, `converting`, `created` become `city`, `convert`, `creat`. */
export function stemOf(word: string): string {
  if (word.length < 4) return word
  const one = singular(word)
  const stem = one.replace(/(?:ing|ed|er|or|ion|e|y)$/, '')
  return stem.length < 3 ? one : stem
}

/** A table in which several names may share a value. */
export function byName<T>(
  rows: readonly (readonly [names: string, value: T])[],
  separator = ' ',
): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([names, value]) => names.split(separator).map((name) => [name, value])))
}

/** A text, name or description. Its words are read when they are first asked for, and then kept. */
export class Words {
  readonly text: string
  #words: readonly string[] | undefined
  #stems: ReadonlySet<string> | undefined
  #subjects: ReadonlySet<string> | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The words in lower case, plurals as singulars. */
  get words(): readonly string[] {
    return (this.#words ??= wordsIn(this.text).map(singular))
  }

  get stems(): ReadonlySet<string> {
    return (this.#stems ??= new Set(wordsIn(this.text).map(stemOf)))
  }

  /** The stems without the most common words. */
  get subjects(): ReadonlySet<string> {
    return (this.#subjects ??= new Set(
      wordsIn(this.text)
        .filter((word) => !common.has(word))
        .map(stemOf),
    ))
  }
}
