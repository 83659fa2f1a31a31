/** The significant words of an English text, each by its stem and whether it is negated ("not angry"). */

export interface Term {
  /** `refund` for refunds, refunded and Refund. */
  readonly stem: string
  readonly negated: boolean
}

/** How many significant words a negation covers. */
const negationScope = 4

const word = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*/gu
const clauseEnd = /[.,;:!?\n()[\]{}"“”—]+|\b(?:and|but|however|although|though|yet|instead)\b/i

/** The terms of a text, in order. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = []
  for (const clause of splitCamelCase(text).split(clauseEnd)) {
    let negationLeft = 0
    for (const [written] of clause.matchAll(word)) {
      const lower = written.toLowerCase().replaceAll('’', "'")
      if (negations.has(lower) || lower.endsWith("n't")) {
        negationLeft = negationScope
        continue
      }
      if (stopWords.has(lower)) continue
      terms.push({ stem: stemOf(lower), negated: negationLeft > 0 })
      negationLeft--
    }
  }
  return terms
}

/** An English word without its ending; other words keep their form. */
export function stemOf(word: string): string {
  // Called for every word of prompts and tools: string comparisons are quicker than expressions.
  const plain = word.includes("'") ? word.replace(/'s$/, '').replaceAll("'", '') : word
  if (!/^[a-z]{4,}$/.test(plain)) return plain
  if (plain.endsWith('ies') || plain.endsWith('ied')) return `${plain.slice(0, -3)}y`
  const cut = plain.slice(0, plain.length - endingLength(plain))
  const last = cut.at(-1) as string
  const isDoubled = cut !== plain && last === cut.at(-2) && 'bdfgmnprt'.includes(last)
  return isDoubled || last === 'e' ? cut.slice(0, -1) : cut
}

function endingLength(word: string): number {
  if (word.endsWith('ing')) return word.length > 5 ? 3 : 0
  if (word.endsWith('ed')) return word.length > 4 ? 2 : 0
  if (word.endsWith('ly')) return word.length > 5 ? 2 : 0
  if (!word.endsWith('s') || /[sui]s$/.test(word)) return 0
  return /(?:[sxz]|[cs]h)es$/.test(word) ? 2 : 1
}

function splitCamelCase(text: string): string {
  return text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
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
