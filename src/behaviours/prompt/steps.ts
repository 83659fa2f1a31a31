/** The steps of a prompt in order, and the clauses that may ask for something of their own. */
import { verbGroups } from './words.ts'

const maxSteps = 16

export interface Span {
  readonly at: number
  readonly end: number
  /** Whether it comes after the one before, rather than beside it. */
  readonly later: boolean
}

const numbered = /(?:^|\n)\s*(?:step\s+)?\d{1,2}[.):]\s+|(?:^|\n)\s*[-*•]\s+/giu
const inline = /(?:^|\s)\(?\d[.)]\s+(?=\p{L})/gu
const sequence = new RegExp(
  String.raw`(?:[.!?;:,]?\s+(?:and\s+|but\s+)?|\n+)(?<!\b(?:now|back|until|since|by) (?:and )?)(?:then|` +
    'after that|after this|afterwards?|subsequently|followed by|(?:once|when|as soon as|after) ' +
    String.raw`(?:you(?:['’]ve| have| are|['’]re)?|that(?: is|['’]s)|it(?: is|['’]s)|this is)\s[^,` +
    String.raw`.!?\n]{2,60}?(?:,|\b(?:done|finished|ready)\b,?))(?=[\s,])\s*,?\s*(?:also\s+)?|` +
    String.raw`,? (?:and|then|but) (?=if \p{L})|` +
    String.raw`[.!?;\n]\s*(?:finally|lastly|next|second(?:ly)?|third(?:ly)?),?\s+`,
  'giu',
)
const doing = String.raw`(?:\p{L}+(?:ing|ed)|found|got|made)\b`
const swapped = new RegExp(
  String.raw`^(.{3,200}?),? (?:after|once you(?: have|['’]ve)|when you have) (${doing}[^,\n]{2,200})$`,
  'iu',
)
const ordered = new RegExp(
  "^(?:please )?(?:(?:after|once you(?: have|['’]ve)|when you have|start by|" +
    String.raw`begin by) (${doing}[^,;\n]{2,200})` +
    String.raw`|before (?:(?:you|we|i) )?(\p{L}[^,\n]{1,120}))[,;] (.{3,400})$`,
  'iu',
)

/** The steps of a prompt, in the order in which they are done. */
export function stepsIn(plain: string): readonly Span[] {
  const listed = itemsIn(plain)
  if (listed.length > 1) return listed.slice(0, maxSteps)
  const end = plain.length
  const after = /[.!?]\s/.test(plain) ? null : swapped.exec(plain)
  if (after !== null) {
    const at = end - (after[2] as string).length
    return [
      { at, end, later: false },
      { at: 0, end: (after[1] as string).length, later: true },
    ]
  }
  const order = ordered.exec(plain)
  if (order !== null) {
    const [, first, second, rest = ''] = order
    const at = end - rest.length
    const front = { at: plain.indexOf(first ?? second ?? ''), end: at }
    const behind = stepsIn(rest).map((span) => ({ ...span, at: span.at + at, end: span.end + at }))
    return first === undefined
      ? [...behind, { ...front, later: true }]
      : [{ ...front, later: false }, ...behind.map((span) => ({ ...span, later: true }))]
  }
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
export function cut(text: string, base: number, pattern: RegExp): readonly Omit<Span, 'later'>[] {
  const parts: { at: number; end: number }[] = []
  let at = 0
  for (const { index, 0: mark } of text.matchAll(pattern)) {
    parts.push({ at: base + at, end: base + index })
    at = index + mark.length
  }
  return [...parts, { at: base + at, end: base + text.length }]
}

/** The items of a numbered or bulleted list. */
function itemsIn(plain: string): readonly Span[] {
  for (const mark of [numbered, inline]) {
    const items = cut(plain, 0, mark)
    const isList = items.length > 2 || (items.length === 2 && mark === numbered && items[0]?.end === 0)
    const [first] = items
    const intro = first === undefined ? '' : plain.slice(first.at, first.end).trim()
    const hasIntro = intro === '' || /[:.]$|\b(?:steps?|following|tasks?|order)\b/i.test(intro)
    if (isList) return (hasIntro ? items.slice(1) : items).map((item) => ({ ...item, later: true }))
  }
  return []
}

const sentence = new RegExp(
  String.raw`(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|St|vs|no|No)\.)\s+(?=[\p{Lu}\d"“\u0001])|(?<=[!?])\s+|\n+|` +
    String.raw`(?<=[a-z]\p{L}{2}[.])\s+(?=\p{Ll})`,
  'gu',
)
const conjunction = new RegExp(
  String.raw`(?:,? and(?: also| then)?|, (?:but )?(?:also |just )?|;| but)\s+(?:please |also |then )?` +
    String.raw`(?=(\p{L}+)(?:\s+(\p{L}+|\u0001))?)`,
  'giu',
)

/** The clauses that may ask for something of their own: sentences, and verbs behind "and". */
function clausesIn(text: string, base: number): readonly Omit<Span, 'later'>[] {
  return cut(text, base, sentence).flatMap(({ at, end }) => {
    const plain = text.slice(at - base, end - base)
    const clauses: { at: number; end: number }[] = []
    let from = 0
    for (const { index, 0: mark, 1: word = '', 2: second = '' } of plain.matchAll(conjunction)) {
      // "Squash and merge" is one thing to do.
      if (!/\S\s+\S/.test(plain.slice(from, index)) || !startsClause(word, second, plain.slice(from, index)))
        continue
      clauses.push({ at: at + from, end: at + index })
      from = index + mark.length
    }
    return [...clauses, { at: at + from, end }]
  })
}

function startsClause(word: string, second: string, before: string): boolean {
  if (/^(?:how|what|when|where|who|which)$/.test(word))
    return /\b(?:what|how|when|where|who|which|is|are)\b/i.test(before)
  const isVerb =
    verbGroups(word).length > 0 &&
    word === word.toLowerCase() &&
    !/(?:s|ing|ed)$/.test(word.replace(/ss$/, '')) &&
    !/^(?:of|is|as|for|are|like|in)$/.test(second)
  const isToldOff =
    /^(?:then|is|are|give|tell|let|answer|report|no)$/.test(word) && !/^(?:me|him|her|them|it)$/.test(second)
  const isSaid =
    /\b(?:that|saying|to say|remind me)\b/.test(before) && !/^(?:it|them|the|me|him|her)$/.test(second)
  return isVerb && !isToldOff && !isSaid
}
