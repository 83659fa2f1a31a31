/** Which words a state affirms and which it negates. */
import { type Term, termsOf } from './terms.ts'

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
