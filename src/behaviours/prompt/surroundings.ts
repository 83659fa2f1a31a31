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

/** The words next to the part of a text from `start` to `end`, within its sentence. */
export function surroundings(
  text: string,
  start: number,
  end: number,
): { before: string[]; after: string[] } {
  const spellSymbols = (part: string): string =>
    part
      .replace(/\$/gu, ' dollar ')
      .replace(/€/gu, ' euro ')
      .replace(/£/gu, ' pound ')
      .replace(/¥/gu, ' yen ')
      .replace(/%/gu, ' percent ')
      .replace(/°/gu, ' degree ')
  const before = promptWords(
    spellSymbols(text.slice(Math.max(0, start - 60), start))
      .split(/[.!?]\s|\n/u)
      .at(-1) ?? '',
  )
    .reverse()
    .slice(0, 4)
  const after = promptWords(
    spellSymbols(text.slice(end, end + 60)).split(/[.!?](?:\s|$)|\n/u)[0] ?? '',
  ).slice(0, 4)
  return { before, after }
}

export function matchFacts(text: string, pattern: RegExp): TextFact[] {
  const facts: TextFact[] = []
  for (const match of text.matchAll(pattern)) {
    const value = match
      .slice(1)
      .find((group) => group !== undefined)
      ?.trim()
    if (value !== undefined && value !== '')
      facts.push({ value, ...surroundings(text, match.index, match.index + match[0].length) })
    if (facts.length === maxFacts) break
  }
  return facts
}
