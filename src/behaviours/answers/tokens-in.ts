/** The typed tokens of a text: what has the form of a number, a date, an address, a name, a quotation. */
import type { Words } from '../words.ts'

export type Form = 'url' | 'email' | 'date' | 'quote' | 'path' | 'number' | 'code' | 'name' | 'phrase'

/** A part of a text with a form. */
export interface Token {
  readonly form: Form
  /** The text without quotation marks. */
  readonly text: string
  /** Its place in the text. */
  readonly at: number
}

/** A word with a capital that is no part of an address, a path or a code. */
const capitalised = String.raw`(?!\b[A-Z]{2,6}\b)\p{Lu}[\p{L}'’-]*\p{L}(?![\p{L}\p{N}_@/]|\.\w)`
const fullName = new RegExp(String.raw`\b${capitalised}(?: ${capitalised}){0,3}`, 'u')

/** What has the form of a token. At one place, the first form wins. */
const forms: readonly (readonly [form: Form, pattern: RegExp])[] = [
  ['quote', /```[^`]{1,8000}```|`[^`\n]{1,400}`|"[^"\n]{1,1000}"|“[^”\n]{1,1000}”/u],
  ['quote', /(?<![\p{L}\p{N}])['‘][^'’\n]{1,400}['’](?![\p{L}\p{N}])/u],
  ['url', /\bhttps?:\/\/[^\s"'<>)]{1,500}[^\s"'<>).,;:!?]/u],
  ['email', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/u],
  ['date', /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?\b/u],
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

/** The tokens in the order of the text. They do not overlap. */
export function tokensIn(text: string): readonly Token[] {
  const found: Token[] = []
  for (const match of text.matchAll(anyForm)) {
    const { 0: whole, index: at } = match
    const [form] = forms[match.indexOf(whole, 1) - 1] as (typeof forms)[number]
    // The first word of a sentence is written with a capital, whatever it is.
    if (form === 'name' && !whole.includes(' ') && isSentenceStart(text, at)) continue
    found.push({ form, text: form === 'quote' ? whole.replace(quotationMarks, '') : whole, at })
    if (found.length === maxTokens) break
  }
  return found
}

function isSentenceStart(text: string, at: number): boolean {
  return /(?:^|[.!?:\n]\s*|[-*] )$/.test(text.slice(Math.max(0, at - 4), at))
}

/** The text from its first word that does not name the tool: a phrase, or a name if it is one word. */
export function objectOf({ text, list }: Words, namesTool: (stem: string) => boolean): Token | undefined {
  const first = list.find(({ stem, isCommon }) => !isCommon && !namesTool(stem))
  if (first === undefined) return undefined
  const { at } = first
  const rest = text.slice(at).replace(/[\s.!?,;:]+$/, '')
  return { form: rest.includes(' ') ? 'phrase' : 'name', text: rest, at }
}
