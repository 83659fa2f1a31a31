/** The typed tokens of a text: what has the form of a number, a date, an address, a name, a quotation. */
import { Words } from '../words.ts'

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
const inAnyCase = (word: string): string =>
  word.replace(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const month = `(?:${months.map(inAnyCase).join('|')})[A-Za-z]*`
const day = String.raw`\d{1,2}(?:st|nd|rd|th)?`
/** `January 7`, `Jan 7th, 2026`, `7 January 2026` */
const monthDay = new RegExp(String.raw`\b(?:${month}\.? ${day}|${day} ${month})(?:,? \d{4})?\b`, 'u')
/** A word with a capital that is no part of an address, a path or a code. */
const capitalised = String.raw`(?!\b[A-Z]{2,6}\b)\p{Lu}[\p{L}'’-]*\p{L}(?![\p{L}\p{N}_@/]|\.\w)`
const fullName = new RegExp(String.raw`\b${capitalised}(?: ${capitalised}){0,3}`, 'u')

/** A written date as ISO 8601: `January 7` is `2026-01-07` in 2026. */
export function isoTextOf({ text }: Token, year: number): string {
  const name = months.findIndex((one) => new RegExp(`\\b${one}`, 'i').test(text))
  if (name < 0) return text
  const [number = ''] = /\d{1,2}(?!\d)/.exec(text) ?? []
  const [written = String(year)] = /\d{4}/.exec(text) ?? []
  return `${written}-${String(name + 1).padStart(2, '0')}-${number.padStart(2, '0')}`
}

/** What has the form of a token. At one place, the first form wins. */
const forms: readonly (readonly [form: Form, pattern: RegExp])[] = [
  ['quote', /```[^`]{1,8000}```|`[^`\n]{1,400}`|"[^"\n]{1,1000}"|“[^”\n]{1,1000}”/u],
  ['quote', /(?<![\p{L}\p{N}])['‘][^'’\n]{1,400}['’](?![\p{L}\p{N}])/u],
  ['url', /\bhttps?:\/\/[^\s"'<>)]{1,500}[^\s"'<>).,;:!?]/u],
  ['email', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/u],
  ['date', /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?\b/u],
  ['date', monthDay],
  ['path', /(?<![\w@])(?:~|\.{1,2})?(?:\/[\w.@-]+)+\/?|(?<![\w@/])[\w-]+(?:\/[\w.-]+)+/u],
  ['path', /\b[\w-]+\.[A-Za-z]{1,4}\b(?!\.\w)/u],
  ['code', /\b(?=[\w.-]{0,40}\d)(?=[\w.-]{0,40}[A-Za-z])[A-Za-z\d]+(?:[-_.][A-Za-z\d]+)*\b/u],
  ['code', /\b(?:[A-Z]{2,6}|\d+(?:-\d+)+)\b/u],
  ['number', /(?<![\w.])-?\d{1,15}(?:,\d{3})*(?:\.\d{1,10})?(?!\w)/u],
  ['name', fullName],
]
const anyForm = new RegExp(forms.map(([, { source }]) => `(${source})`).join('|'), 'gu')
const quotationMarks = /^(?:```(?:\w*\n)?|[`"'“‘])|(?:```|[`"'”’])$/g

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
  readonly #mentions = new Map<string, { readonly at: number }>()

  /** The tokens in the order of the text. They do not overlap. */
  get tokens(): readonly Token[] {
    return (this.#tokens ??= tokensIn(this.text))
  }

  /** The stems of the two words before a token and of the one behind it. */
  around({ at, end }: Token): readonly string[] {
    const { list } = this
    const before = list.findIndex((word) => word.at >= at)
    const behind = list.find((word) => word.at >= end)
    const near = list.slice(Math.max(0, before - 2), Math.max(0, before))
    return [...near, ...(behind === undefined ? [] : [behind])].map(({ stem }) => stem)
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
    const mention = { at: this.list.findIndex(({ stem }) => stem === first) }
    this.#mentions.set(key, mention)
    return mention
  }

  /** The tokens, and what is left without the words at the start that chose a tool: `search for flights`. */
  tokensAfter(stemsOfTool: ReadonlySet<string>): readonly Token[] {
    const first = this.list.find(({ stem, isCommon }) => !isCommon && !stemsOfTool.has(stem))
    if (first === undefined) return this.tokens
    const { at } = first
    const text = this.text.slice(at).replace(/[\s.!?,;:]+$/, '')
    return [...this.tokens, { form: 'phrase', text, at, end: at + text.length }]
  }
}

function tokensIn(text: string): readonly Token[] {
  const found: Token[] = []
  for (const match of text.matchAll(anyForm)) {
    const { 0: whole, index: at } = match
    const [form] = forms[match.indexOf(whole, 1) - 1] as (typeof forms)[number]
    // The first word of a sentence is written with a capital, whatever it is.
    if (form === 'name' && !whole.includes(' ') && isSentenceStart(text, at)) continue
    const inner = form === 'quote' ? whole.replace(quotationMarks, '') : whole
    found.push({ form, text: inner, at, end: at + whole.length })
    if (found.length === maxTokens) break
  }
  return found
}

function isSentenceStart(text: string, at: number): boolean {
  return /(?:^|[.!?:\n]\s*|[-*] )$/.test(text.slice(Math.max(0, at - 4), at))
}
