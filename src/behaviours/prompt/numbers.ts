/** The numbers in a prompt, in digits or words. */
import { mayCount, numberOf, numberWord, ordinalWord } from './number-words.ts'
import { maxFacts, type NumberFact, Surrounded, wordsBefore } from './surroundings.ts'

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
  if (!mayCount(rest)) return facts
  for (const match of rest.matchAll(numberPattern)) {
    const value = (match[0].startsWith('-') ? -1 : 1) * (numberOf(match[0]) ?? 0)
    facts.push(new NumberInText(value, prompt, match.index, match[0]))
    if (facts.length === maxFacts) break
  }
  return facts
}

class NumberInText extends Surrounded<number> implements NumberFact {
  readonly #written: string

  constructor(value: number, prompt: string, start: number, written: string) {
    super(value, prompt, start, start + written.length, () => [
      ...boundOf(prompt.slice(Math.max(0, start - 40), start)),
      ...wordsBefore(prompt, start),
    ])
    this.#written = written
  }

  get ordinal(): boolean {
    return isOrdinal.test(this.#written)
  }
}

/** "between 5 and 10": the first is the minimum, the second the maximum. */
function boundOf(lead: string): readonly string[] {
  if (!/between/iu.test(lead)) return []
  if (/\bbetween \D{0,4}$/iu.test(lead)) return ['minimum']
  return /\bbetween \D{0,4}[\d.,]{1,12}\D{0,12} and \D{0,4}$/iu.test(lead) ? ['maximum'] : []
}
