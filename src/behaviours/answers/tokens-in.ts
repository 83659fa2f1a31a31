/** The typed tokens of a text: what has the form of a number, a date, an address, a name, a quotation. */
import { isCommon, stemOf, Words, wordsIn } from '../words.ts'

export type Form = 'url' | 'email' | 'date' | 'quote' | 'path' | 'number' | 'code' | 'name' | 'phrase'

/** A part of a text with a form. */
export interface Token {
  readonly form: Form
  /** The text without quotation marks. */
  readonly text: string
  /** Its place in the text. */
  readonly at: number
  readonly end: number
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const month = `(?:${months.join('|')})[a-z]*`
const day = String.raw`\d{1,2}(?:st|nd|rd|th)?`
/** `January 7`, `Jan 7th, 2026`, `7 January 2026` */
const monthDay = new RegExp(String.raw`\b(?:${month}\.? ${day}|${day} ${month})(?:,? \d{4})?\b`, 'gi')

/** A written date as ISO 8601: `January 7` is `2026-01-07` in 2026. */
export function isoTextOf({ text }: Token, year: number): string {
  const name = months.findIndex((one) => new RegExp(`\\b${one}`, 'i').test(text))
  if (name < 0) return text
  const [number = ''] = /\d{1,2}(?!\d)/.exec(text) ?? []
  const [written = String(year)] = /\d{4}/.exec(text) ?? []
  return `${written}-${String(name + 1).padStart(2, '0')}-${number.padStart(2, '0')}`
}

/** What has the form of a token. The first form that a place has wins. */
const forms: readonly (readonly [form: Form, pattern: RegExp])[] = [
  ['quote', /```(?:\w*\n)?([^`]{1,8000})```|`([^`\n]{1,400})`|"([^"\n]{1,1000})"|“([^”\n]{1,1000})”/g],
  ['quote', /(?<![\p{L}\p{N}])['‘]([^'’\n]{1,400})['’](?![\p{L}\p{N}])/gu],
  ['url', /\bhttps?:\/\/[^\s"'<>)]{1,500}[^\s"'<>).,;:!?]/g],
  ['email', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g],
  ['date', /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?\b/g],
  ['date', monthDay],
  [
    'path',
    new RegExp(
      String.raw`(?<![\w@])(?:~|\.{1,2})?(?:\/[\w.@-]+)+\/?|(?<![\w@/])[\w-]+(?:\/[\w.-]+)+|` +
        String.raw`\b[\w-]+\.[a-z]{1,4}\b(?!\.\w)`,
      'gi',
    ),
  ],
  ['code', /\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[A-Za-z\d]+(?:[-_][A-Za-z\d]+)*\b|\b[A-Z]{2,6}\b/g],
  ['number', /(?<![\w.])-?\d{1,15}(?:,\d{3})*(?:\.\d{1,10})?(?![\w])/g],
  ['name', /\b\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}'’-]+){0,3}/gu],
]

/** So many characters of a text are read, half of them at its end: requests stand there. */
const maxLength = 8000
const maxTokens = 200

/** The part of a long text that is read. */
export function readablePart(text: string): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength / 2)}\n${text.slice(-maxLength / 2)}`
}

/** A text whose tokens are read when they are first asked for, and then kept. */
export class Reading extends Words {
  #tokens: readonly Token[] | undefined
  readonly #around = new Map<Token, readonly string[]>()
  readonly #mentions = new Map<string, { readonly at: number }>()

  /** The tokens in the order of the text. They do not overlap. */
  get tokens(): readonly Token[] {
    return (this.#tokens ??= tokensIn(this.text))
  }

  /** The stems of the two words before a token and of the one behind it. */
  around(token: Token): readonly string[] {
    const known = this.#around.get(token)
    if (known !== undefined) return known
    const { at, end } = token
    const before = wordsIn(this.text.slice(Math.max(0, at - 30), at)).slice(-2)
    const behind = wordsIn(this.text.slice(end, end + 20)).slice(0, 1)
    const stems = [...before, ...behind].map(stemOf)
    this.#around.set(token, stems)
    return stems
  }

  /**
   * Where the text has all of these words; undefined if it does not. The same object for the same words, so
   * that only one place is filled with them.
   */
  mention({ stems }: Words): { readonly at: number } | undefined {
    const key = [...stems].join(' ')
    const known = this.#mentions.get(key)
    if (known !== undefined) return known
    const [first = ''] = stems
    if (stems.size === 0 || ![...stems].every((stem) => this.stems.has(stem))) return undefined
    const mention = { at: [...this.stems].indexOf(first) }
    this.#mentions.set(key, mention)
    return mention
  }

  /** The tokens, and what is left without the words at the start that chose a tool: `search for flights`. */
  tokensAfter(stemsOfTool: ReadonlySet<string>): readonly Token[] {
    const words = [...this.text.matchAll(/[\p{L}\p{N}]+/gu)]
    const first = words.find(({ 0: word }) => !isCommon(word) && !stemsOfTool.has(stemOf(word.toLowerCase())))
    const at = first?.index ?? this.text.length
    const text = this.text.slice(at).replace(/[\s.!?,;:]+$/, '')
    const phrase: Token = { form: 'phrase', text, at, end: at + text.length }
    return first === undefined ? this.tokens : [...this.tokens, phrase]
  }
}

function tokensIn(text: string): readonly Token[] {
  const found: Token[] = []
  const taken = new Uint8Array(text.length)
  for (const [form, pattern] of forms) {
    for (const match of text.matchAll(pattern)) {
      const [whole] = match
      const { index: at } = match
      const end = at + whole.length
      if (found.length >= maxTokens || taken.subarray(at, end).includes(1)) continue
      // The first word of a sentence is written with a capital, whatever it is.
      if (form === 'name' && isSentenceStart(text, at) && !whole.includes(' ')) continue
      taken.fill(1, at, end)
      const inner = match.slice(1).find((part) => part !== undefined) ?? whole
      found.push({ form, text: inner, at, end })
    }
  }
  return found.sort((a, b) => a.at - b.at)
}

function isSentenceStart(text: string, at: number): boolean {
  return /(?:^|[.!?:\n]\s*|[-*] )$/.test(text.slice(Math.max(0, at - 4), at))
}
