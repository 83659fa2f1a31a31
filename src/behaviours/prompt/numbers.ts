/** The numbers in a prompt, in digits or words. */
import { numberOf, numberWord, ordinalWord } from './number-words.ts'
import { maxFacts, type NumberFact, surroundings } from './surroundings.ts'

const numberPattern = new RegExp(
  [
    String.raw`(?<![\w.])(?:(?<![\w)])-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,15})(?:\.\d{1,12})?`,
    String.raw`(?:(?:k|bn| (?:hundred|thousand|million|billion))(?!\w)|(?<=[$€£][\d.]{1,9})m(?!\w))?`,
    String.raw`|\b(?:${numberWord}|once|twice|thrice|half)\b`,
    String.raw`|(?<=\b(?:the|my|our|its|this) )${ordinalWord}\b`,
  ].join(''),
  'giu',
)

const isOrdinal = new RegExp(`^${ordinalWord}$`, 'iu')

export function numbersOf(rest: string, prompt: string): NumberFact[] {
  const facts: NumberFact[] = []
  for (const match of rest.matchAll(numberPattern)) {
    const value = (match[0].startsWith('-') ? -1 : 1) * (numberOf(match[0]) ?? 0)
    const { before, after } = surroundings(prompt, match.index, match.index + match[0].length)
    // "between 5 and 10": the first is the minimum, the second the maximum.
    const lead = prompt.slice(Math.max(0, match.index - 40), match.index)
    const bound = /\bbetween \D{0,4}$/iu.test(lead)
      ? ['minimum']
      : /\bbetween \D{0,4}[\d.,]{1,12}\D{0,12} and \D{0,4}$/iu.test(lead)
        ? ['maximum']
        : []
    facts.push({ value, ordinal: isOrdinal.test(match[0]), after, before: [...bound, ...before] })
    if (facts.length === maxFacts) break
  }
  return facts
}
