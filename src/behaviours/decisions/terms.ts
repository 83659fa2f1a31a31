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
  let stem = word.replace(/'s$/, '').replaceAll("'", '')
  if (!/^[a-z]{4,}$/.test(stem)) return stem
  if (stem.endsWith('ies') || stem.endsWith('ied')) return `${stem.slice(0, -3)}y`
  const cut =
    /^(.{3,}?)(?:ing|ed|(?<=.{4})ly)$/.exec(stem)?.[1] ??
    (/(?:ss|us|is)$/.test(stem) ? stem : stem.replace(/(?:(?<=s|x|z|ch|sh)es|s)$/, ''))
  stem = cut === stem ? stem : cut.replace(/([bdfgmnprt])\1$/, '$1')
  return stem.replace(/e$/, '')
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
