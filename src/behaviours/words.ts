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

/** A word in lower case, its stem, and where it stands. */
export interface Word {
  readonly text: string
  readonly stem: string
  readonly isCommon: boolean
  readonly at: number
}

/** `unitPrice` is two words, as is `unit_price`. */
const wordForm = /[\p{L}\p{N}](?:(?!(?<=\p{Ll})\p{Lu})[\p{L}\p{N}])*/gu

function wordsIn(text: string): readonly Word[] {
  return Array.from(text.matchAll(wordForm), ({ 0: word, index: at }) => {
    const text = word.toLowerCase()
    return { text, stem: stemOf(text), isCommon: common.has(text), at }
  })
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
  #list: readonly Word[] | undefined
  #words: readonly string[] | undefined
  #stems: ReadonlySet<string> | undefined
  #subjects: ReadonlySet<string> | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The words in the order of the text. */
  get list(): readonly Word[] {
    return (this.#list ??= wordsIn(this.text))
  }

  /** The words in lower case, plurals as singulars. */
  get words(): readonly string[] {
    return (this.#words ??= this.list.map(({ text }) => singular(text)))
  }

  get stems(): ReadonlySet<string> {
    return (this.#stems ??= new Set(this.list.map(({ stem }) => stem)))
  }

  /** The stems without the most common words. */
  get subjects(): ReadonlySet<string> {
    return (this.#subjects ??= new Set(this.list.filter(({ isCommon }) => !isCommon).map(({ stem }) => stem)))
  }
}
