/** The steps of a prompt in order, and the clauses that may ask for something of their own. */
import { quotedIn } from './reading.ts'
import { verbGroups } from './words.ts'

const readLength = 4000
const maxSteps = 12

interface Step {
  readonly text: string
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
    String.raw`[.!?;\n]\s*(?:finally|lastly|next|second(?:ly)?|third(?:ly)?),?\s+`,
  'giu',
)
const later = new RegExp(
  String.raw`^(.{3,200}?),? (?:after|once you have|once you['’]ve|when you have) ((?:\p{L}+(?:ing|ed)|` +
    String.raw`found|got|made)\b[^,\n]{2,200})$`,
  'iu',
)
const earlier = new RegExp(
  String.raw`^(?:after|once you have|once you['’]ve|when you have|start by|begin by) ((?:\p{L}+(?:ing|` +
    String.raw`ed)|found|got|made)\b[^,;\n]{2,200})[,;] (.{3,400})$`,
  'iu',
)
const beforehand =
  /^(?:please )?before (?:(?:you|we|i) )?(\p{L}+(?: (?:the|my|our))?) ([^,\n]{1,100}), ([^\n]{3,300})$/iu
const opener =
  /^(?:first(?:ly)?|to begin(?: with)?|start by|second(?:ly)?|next|then|finally|also|and|but)\b[,:]?\s*/iu

/** The steps of a prompt, in order. */
export function stepsOf(prompt: string): readonly Step[] {
  const said = prompt.slice(-readLength).trim()
  for (const mark of [numbered, inline]) {
    const items = said.split(mark).map((item) => item.trim())
    if (items.length > 2 || (items.length === 2 && mark === numbered && items[0] === '')) {
      const listed = items.filter(
        (item, at) =>
          item !== '' && (at > 0 || !/[:.]\s*$|\b(?:steps?|following|tasks?|order)\b/i.test(item)),
      )
      if (listed.length > 1) return listed.slice(0, maxSteps).map((text) => ({ text, later: true }))
    }
  }
  const single = !/[.!?]\s/.test(said)
  const swapped = single ? later.exec(said) : null
  if (swapped !== null)
    return [
      { text: swapped[2] as string, later: false },
      { text: swapped[1] as string, later: true },
    ]
  const reversed = beforehand.exec(said)
  if (reversed !== null) {
    const [, end = '', object = '', start = ''] = reversed
    return [
      { text: start.replace(/\b(?:it|them|that|this)\b(?! \p{L})/iu, () => object), later: false },
      { text: `${end} ${object}`, later: true },
    ]
  }
  const ordered = earlier.exec(said)
  if (ordered !== null)
    return [
      { text: ordered[1] as string, later: false },
      ...stepsOf(ordered[2] as string).map((step) => ({ ...step, later: true })),
    ]
  const steps: Step[] = []
  for (const [at, text] of said.split(sequence).entries())
    for (const [index, clause] of clausesOf(text).entries())
      if (/[\p{L}\p{N}]/u.test(clause))
        steps.push({ text: clause.trim().replace(opener, ''), later: at > 0 && index === 0 })
  return steps.slice(0, 2 * maxSteps)
}

/** The clauses of a text that may ask for something of their own: sentences, and verbs behind "and". */
function clausesOf(text: string): readonly string[] {
  const clauses: string[] = []
  for (const sentence of sentencesOf(text)) {
    const plain = sentence
    let from = 0
    const quoted = quotedIn(plain)
    for (const found of plain.matchAll(
      new RegExp(
        String.raw`(?:,? and(?: also| then)?|, (?:but )?(?:also )?|;| but)\s+(?:please |also |then ` +
          String.raw`)?(?=(\p{L}+)(?:\s+(\p{L}+))?)`,
        'giu',
      ),
    )) {
      const [mark, word = '', second = ''] = found
      const isVerb =
        verbGroups(word).length > 0 &&
        word === word.toLowerCase() &&
        !/(?:s|ing|ed)$/.test(word.replace(/ss$/, '')) &&
        !/^(?:of|is|as|for|is|are|like|in)$/.test(second)
      const isVague =
        /^(?:then|is|are|give|tell|let|answer|report|no)$/.test(word) &&
        !/^(?:me|him|her|them|it)$/.test(second)
      if (!isVerb || isVague || quoted.some(({ at, end }) => at < found.index && found.index < end)) continue
      if (
        /\b(?:that|saying|to say|remind me)\b/.test(plain.slice(from, found.index)) &&
        !/^(?:it|them|the|me|him|her)$/.test(second)
      )
        continue
      clauses.push(plain.slice(from, found.index))
      from = found.index + mark.length
    }
    clauses.push(plain.slice(from))
  }
  return clauses
}

function sentencesOf(text: string): readonly string[] {
  const quoted = quotedIn(text)
  const sentences: string[] = []
  let from = 0
  for (const { index, 0: mark } of text.matchAll(
    /(?<=[.!?])\s+(?=[\p{Lu}\d"“])|(?<=[!?])\s+|\n+|(?<=[a-z]\p{L}{2}[.])\s+(?=\p{Ll})/gu,
  )) {
    if (quoted.some(({ at, end }) => at < index && index < end)) continue
    sentences.push(text.slice(from, index))
    from = index + mark.length
  }
  return [...sentences, text.slice(from)]
}
