/** Texts and numbers of a prompt with the words around them. */
import { promptWords } from './words.ts'

/** A text with up to four words before and after it: lower case, singular, nearest first. */
export interface TextFact {
  readonly value: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** A number. Symbols count as words: `$` is "dollar", `%` "percent", `°` "degree". */
export interface NumberFact {
  readonly value: number
  /** Whether it counts a place: "second", "3rd". */
  readonly ordinal: boolean
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export const maxFacts = 100

/** A value with the words around it, which are read on first use: the form alone decides on most facts. */
export class Surrounded<Value> {
  readonly value: Value
  readonly #text: string
  readonly #start: number
  readonly #end: number
  readonly #lead: (() => readonly string[]) | undefined
  #before: readonly string[] | undefined
  #after: readonly string[] | undefined

  /** The part of a text from `start` to `end`; `lead` gives the words before it, if not those of the text. */
  constructor(value: Value, text: string, start: number, end: number, lead?: () => readonly string[]) {
    this.value = value
    this.#text = text
    this.#start = start
    this.#end = end
    this.#lead = lead
  }

  get before(): readonly string[] {
    return (this.#before ??= this.#lead?.() ?? wordsBefore(this.#text, this.#start))
  }

  get after(): readonly string[] {
    return (this.#after ??= wordsAfter(this.#text, this.#end))
  }
}

/** The words in front of a position, within its sentence, nearest first. */
export function wordsBefore(text: string, start: number): string[] {
  const sentence = spellSymbols(text.slice(Math.max(0, start - 60), start)).split(/[.!?]\s|\n/u)
  return promptWords(sentence.at(-1) ?? '')
    .reverse()
    .slice(0, 4)
}

function wordsAfter(text: string, end: number): string[] {
  const sentence = spellSymbols(text.slice(end, end + 60)).split(/[.!?](?:\s|$)|\n/u, 1)
  return promptWords(sentence[0] ?? '').slice(0, 4)
}

const symbols: Readonly<Record<string, string>> = {
  $: ' dollar ',
  '€': ' euro ',
  '£': ' pound ',
  '¥': ' yen ',
  '%': ' percent ',
  '°': ' degree ',
}
const spellSymbols = (part: string): string =>
  part.replace(/[$€£¥%°]/gu, (symbol) => symbols[symbol] as string)

export function matchFacts(text: string, pattern: RegExp): TextFact[] {
  const facts: TextFact[] = []
  for (const match of text.matchAll(pattern)) {
    const value = match
      .slice(1)
      .find((group) => group !== undefined)
      ?.trim()
    if (value !== undefined && value !== '')
      facts.push(new Surrounded(value, text, match.index, match.index + match[0].length))
    if (facts.length === maxFacts) break
  }
  return facts
}
