/** Which words a state affirms and which it negates. */
import { stemOf } from '../prompt/words.ts'

export interface StateWords {
  /** −1 (the state negates the term) to 1 (the state affirms it); 0 when the word does not occur. */
  matchOf(term: Term): number
}

/** Reads a text or JSON value. Field names count as words, negated where the value is `false`. */
export function readState(state: unknown): StateWords {
  const counts = new Map<string, { affirmed: number; negated: number }>()
  visitTexts(state, true, (text, negated) => {
    for (const term of termsOf(text)) {
      const count = counts.get(term.stem) ?? { affirmed: 0, negated: 0 }
      counts.set(term.stem, count)
      if (term.negated !== negated) count.negated++
      else count.affirmed++
    }
  })
  return {
    matchOf({ stem, negated }) {
      const count = counts.get(stem)
      if (count === undefined) return 0
      const balance = (count.affirmed - count.negated) / (count.affirmed + count.negated)
      return negated ? -balance : balance
    },
  }
}

/** A text, or all strings and numbers inside a JSON value without the names of its fields. */
export function textInside(value: unknown): string {
  if (typeof value === 'string') return value
  const texts: string[] = []
  visitTexts(value, false, (text) => texts.push(text))
  return texts.join('\n')
}

function visitTexts(
  value: unknown,
  fieldNames: boolean,
  visit: (text: string, negated: boolean) => void,
): void {
  if (typeof value === 'string') visit(value, false)
  else if (typeof value === 'number') visit(String(value), false)
  else if (Array.isArray(value)) for (const item of value) visitTexts(item, fieldNames, visit)
  else if (value !== null && typeof value === 'object') {
    const { type, text } = value as { type?: unknown; text?: unknown }
    // A message part, as Vercel's SDK sends it (wire-formats section 9): `type` and `text` are not content.
    if (type === 'text' && typeof text === 'string') {
      visit(text, false)
      return
    }
    for (const [name, inner] of Object.entries(value)) {
      if (fieldNames && inner !== null) visit(name, inner === false)
      visitTexts(inner, fieldNames, visit)
    }
  }
}

/** The significant words of an English text, each by its stem and whether it is negated ("not angry"). */

export interface Term {
  /** `refund` for refunds, refunded and Refund. */
  readonly stem: string
  readonly negated: boolean
}

/** How many significant words a negation covers. */
const negationScope = 4

// Most texts are ASCII, for which short character classes say the same and are found several times faster.
const beyondAscii = /[^\0-\x7f]/
const ascii = {
  word: /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g,
  humps: /[a-z0-9][A-Z]/,
  hump: /([a-z0-9])([A-Z])/g,
} as const
const unicode = {
  word: /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*/gu,
  humps: /[\p{Ll}\p{N}]\p{Lu}/u,
  hump: /(\p{Ll}|\p{N})(\p{Lu})/gu,
} as const
const clauseEnd = /[.,;:!?\n()[\]{}"“”—]+|\b(?:and|but|however|although|though|yet|instead)\b/i

/** The terms of a text, in order. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = []
  if (text === '') return terms
  const { word, humps, hump } = beyondAscii.test(text) ? unicode : ascii
  const spaced = humps.test(text) ? text.replace(hump, '$1 $2') : text
  for (const clause of clauseEnd.test(spaced) ? spaced.split(clauseEnd) : [spaced]) {
    let negationLeft = 0
    for (const written of clause.match(word) ?? []) {
      const lower = word === ascii.word ? written.toLowerCase() : written.toLowerCase().replaceAll('’', "'")
      if (negations.has(lower) || lower.endsWith("n't")) {
        negationLeft = negationScope
        continue
      }
      if (stopWords.has(lower)) continue
      const plain = lower.includes("'") ? lower.replace(/'s$|'/g, '') : lower
      terms.push({ stem: stemOf(plain), negated: negationLeft > 0 })
      negationLeft--
    }
  }
  return terms
}

const negations: ReadonlySet<string> = new Set(
  'not no never without neither nor none nobody nothing hardly barely cannot'.split(' '),
)

const stopWords: ReadonlySet<string> = new Set(
  `
  a an the this that these those it its he him his she her they them their we us our you your i me my is
  are was were be been being am do does did doing done has have had having will would can could shall
  should may might must of to in on at by for from with about into as if then than so or because while
  when where which who whose what why how there here any all some such just also too very i'm it's that's
  please
  `
    .trim()
    .split(/\s+/),
)
