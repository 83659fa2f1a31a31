/** The steps of a prompt in order, and the clauses that may ask for something of their own. */
import { verbGroups } from './words.ts'

const maxSteps = 16

export interface Span {
  readonly at: number
  readonly end: number
  /** Whether it comes after the one before, rather than beside it. */
  readonly later: boolean
}
type Part = Omit<Span, 'later'>

const numbered =
  /(?:^|\n)\s*(?:step\s+)?\d{1,2}[.):]\s+|(?:^|\n)\s*[-*•]\s+|(?<=:)\s+\(?1[.)]\s|\s\(?[2-9][.)]\s+(?=\p{L})/giu
const sequence = new RegExp(
  String.raw`(?:[.!?;:,]?\s+(?:and\s+|but\s+)?|\n+)(?<!\b(?:now|back|until|since|by) (?:and )?)(?:then|` +
    String.raw`after that|after this|afterwards?|subsequently|followed by|(?:once|when|as soon as|after) ` +
    String.raw`(?:you(?:['’]ve| have| are|['’]re)?|that(?: is|['’]s)|it(?: is|['’]s)|this is)\s[^,.!?\n]{2,60}?` +
    String.raw`(?:,|\b(?:done|finished|ready)\b,?))(?=[\s,])\s*,?\s*(?:also\s+)?|,? (?:and|then|but) (?=if \p{L})|` +
    String.raw`[.!?;\n]\s*(?:finally|lastly|next|second(?:ly)?|third(?:ly)?),?\s+`,
  'giu',
)
/** The steps of a prompt, in the order in which they are done. */
export function stepsIn(plain: string): readonly Span[] {
  // The items of a list come one after the other.
  const [intro, ...items] = cut(plain, 0, numbered)
  if (items.length > 1 && /^$|[:.]$/.test(plain.slice(0, intro?.end).trim()))
    return items.slice(0, maxSteps).map((item) => ({ ...item, later: true }))
  return cut(plain, 0, sequence)
    .flatMap(({ at, end }, step) =>
      clausesIn(plain.slice(at, end), at).map((clause, index) => ({
        ...clause,
        later: step > 0 && index === 0,
      })),
    )
    .filter(({ at, end }) => /[\p{L}\p{N}\u0001]/u.test(plain.slice(at, end)))
    .slice(0, maxSteps)
}

/** The parts of a text between the matches of a pattern. */
export function cut(text: string, base: number, pattern: RegExp): readonly Part[] {
  const parts: Part[] = []
  let at = 0
  for (const { index, 0: mark } of text.matchAll(pattern)) {
    parts.push({ at: base + at, end: base + index })
    at = index + mark.length
  }
  return [...parts, { at: base + at, end: base + text.length }]
}

const sentence =
  /(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|St|vs|no|No)\.)\s+(?=[\p{Lu}\d"“\u0001])|(?<=[!?])\s+|\n+|(?<=[a-z]\p{L}{2}[.])\s+(?=\p{Ll})/gu
const conjunction =
  /(?:,? and(?: also| then)?|, (?:but )?(?:also |just )?|;| but)\s+(?:please |also |then )?(?=(\p{L}+)(?:\s+(\p{L}+|\u0001))?)/giu

/** The clauses that may ask for something of their own: sentences, and verbs behind "and". */
function clausesIn(text: string, base: number): readonly Part[] {
  return cut(text, base, sentence).flatMap(({ at, end }) => {
    const plain = text.slice(at - base, end - base)
    const clauses: Part[] = []
    let from = 0
    for (const { index, 0: mark, 1: word = '', 2: second = '' } of plain.matchAll(conjunction)) {
      const before = plain.slice(from, index)
      // "Squash and merge" is one thing to do.
      if (!/\S\s+\S/.test(before) || !startsClause(word, second, before)) continue
      clauses.push({ at: at + from, end: at + index })
      from = index + mark.length
    }
    return [...clauses, { at: at + from, end }]
  })
}

function startsClause(word: string, second: string, before: string): boolean {
  if (/^(?:how|what|when|where|who|which)$/.test(word))
    return /\b(?:what|how|when|where|who|which|is|are)\b/i.test(before)
  if (verbGroups(word).length === 0 || word !== word.toLowerCase()) return false
  if (/(?:[^s]s|ing|ed)$/.test(word) || /^(?:of|is|as|for|are|like|in)$/.test(second)) return false
  const isToldOff = /^(?:then|is|are|give|tell|let|answer|report|no)$/.test(word)
  const isSaid = /\b(?:that|saying|to say|remind me)\b/.test(before)
  return (
    !(isToldOff && !/^(?:me|him|her|them|it)$/.test(second)) &&
    !(isSaid && !/^(?:it|them|the|me|him|her)$/.test(second))
  )
}
