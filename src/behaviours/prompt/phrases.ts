/** The steps of a prompt, its prepositional phrases, and the verb and object of each part. */
import { matchesIn } from './matches.ts'
import { plainVerbs, verbGroups } from './words.ts'

const maxPhrases = 200
export interface Phrase {
  readonly prep: string
  readonly text: string
  readonly at: number
  readonly end: number
}

const preps =
  'to for from off in into on onto at with by about regarding concerning called named titled ' +
  'entitled as under near between until till that saying telling because mentioning mentions ' +
  'mention contains through within inside via using below over above against containing due since ' +
  'after before of than per behind toward towards is are was were will should which who whose when ' +
  'where while if so'
const prepPattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}/-])(${preps.split(' ').join('|')})(?![\p{L}\p{N}/-])`,
  'giu',
)
const ends = new RegExp(
  String.raw`,(?!\d)|[;!?\n\u0001()]|\.(?=\s|$)|:(?=\s)|\s(?:and then|then|please|but)\s|\s-\s|` +
    String.raw`\sand (?=\p{Ll}+ (?:it|me|the|a|my|them|us|his|her|their)\b)\s?`,
  'u',
)
const open = /^(?:that|saying|telling|because)$/

/** The text after each preposition, up to the next preposition. */
export function phrasesIn(plain: string): readonly Phrase[] {
  const marks = matchesIn(plain, prepPattern).slice(0, maxPhrases)
  return marks.map((mark, index) => {
    const prep = (mark[1] as string).toLowerCase()
    const at = mark.index + prep.length
    let next = index + 1
    // "The end of the month" is one phrase, and so is "what she said" after "that".
    while (next < marks.length && (open.test(prep) || marks[next]?.[1]?.toLowerCase() === 'of')) next++
    const upTo = plain.slice(at, open.test(prep) ? plain.length : (marks[next]?.index ?? plain.length))
    const end = ends.exec(upTo.trimStart() === '' ? '' : upTo)?.index ?? upTo.length
    return { prep, text: upTo.slice(0, end).trim(), at: at + 1, end: at + end }
  })
}

const article = new RegExp(
  '^(?:(?:the|a|an|my|our|your|his|her|its|their|this|that|these|those|some|any|all(?: of)?|' +
    String.raw`another|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,3}) )+(?=\p{L})`,
  'iu',
)
export const withoutArticle = (text: string): string => text.trim().replace(article, '').trim()

export interface Lead {
  /** The verb in its base form; empty if there is none. */
  readonly verb: string
  /** The first word, even if it is an unknown verb. */
  readonly first: string
  readonly mode: 'do' | 'ask' | 'noun' | 'say'
  /** The words after the verb up to the first preposition, and their position. */
  readonly object: string
  readonly at: number
}

const courtesy = new RegExp(
  String.raw`^[\s,.!:]*(?:(?:please|pls|plz|kindly|hey|hi|hello|ok(?:ay)?|now|then|also|and|` +
    String.raw`first(?:ly)?|next(?! \p{L}+ ?(?:please)?$)|finally|afterwards|after that|so|just|` +
    'quickly|maybe|great|nice|cool|thanks|oh|wait|actually|if [^,]{2,60},|go ahead and|(?:can|could|' +
    String.raw`would|will) you)\b ?(?:please )?|i(?:['’]d| would)? (?:want|like|need|love)(?: you)? ` +
    "to |i have to |help me(?: to)? |let['’]?s |let us |we (?:need|have|want) to |be so " +
    String.raw`kind (?:as )?to |your task is to |never mind,? )[\s,:]*`,
  'iu',
)
const questions = new RegExp(
  "^(?:how (?:many|much|long|far|old|warm|cold|hot)|(?:what|how|where|who|when)(?:['’]?s|" +
    ' is| are| was| were| do| does| did|ever)?|which|why|is|are|was|were|does|did|do|has|have|will|' +
    String.raw`should|am|any)\b(?: there)?`,
  'i',
)
const particles = /^\s+(?:up|out|off|on|over|down|back|away|in)(?=\s)/i
const subject = /^(?:i|we|you|he|she|they|it|that|this|there|my|your|our)(?:['’]\p{L}+)?\s/iu
const wish = /^(?:i|we)(?:['’]d)? (?:want|need|would like|like|am looking for) /i

/** The action that a text requests, and its object. */
export function leadOf(plain: string): Lead {
  let rest = plainVerbs(plain.slice(0, 600))
  for (let front = courtesy.exec(rest)?.[0] ?? ''; front !== ''; front = courtesy.exec(rest)?.[0] ?? '')
    rest = rest.slice(front.length)
  rest = withoutFront(rest.trimStart())
  const first = /^[\p{L}-]+/u.exec(rest)?.[0].toLowerCase() ?? ''
  const lead = (mode: Lead['mode'], behind: string, verb = ''): Lead => {
    const object = objectIn(behind)
    return { verb, first, mode, object, at: object === '' ? -1 : plain.indexOf(object) }
  }
  const question = questions.exec(rest)?.[0]
  if (question !== undefined) return lead('ask', rest.slice(question.length))
  if (subject.test(rest)) return lead(wish.test(rest) ? 'noun' : 'say', rest.replace(wish, ''))
  if (verbGroups(first).length === 0) return lead('noun', rest)
  const behind = rest.slice(first.length).replace(particles, '')
  return lead('do', behind.replace(/^\s+(?:me|us|him|her|them|for)\b(?= )/i, ''), first)
}

/** Removes the text before the verb: "In src/a.ts change", "if it is green merge", "Bob wants to". */
function withoutFront(text: string): string {
  const rest = text.replace(/^[^.?!,]{1,60}? (?:wants?|needs|would like) (?:me |us |you )?to /i, '')
  const words = /^(?:if|in|on|at|from|under|inside) /i.test(rest) ? rest.split(' ').slice(0, 9) : []
  const isVerb = (word: string): boolean => verbGroups(word).length > 0 && !/(?:s|ed|ing)$/.test(word)
  const at = words.findIndex((word, index) => index > 1 && isVerb(word))
  return at < 0 ? rest : rest.split(' ').slice(at).join(' ')
}

function objectIn(text: string): string {
  const before = text
    .slice(0, ends.exec(text)?.index ?? text.length)
    .replace(/ (?:do|does|did) (?:we|i|you|they|it)\b.*$/i, '')
  const isCut = ({ index, 1: prep = '' }: RegExpExecArray): boolean =>
    prep.toLowerCase() !== 'of' && before.slice(0, index).trim() !== ''
  const end = matchesIn(before, prepPattern).find(isCut)?.index ?? before.length
  const object = before.slice(0, end).replace(/^\s*to (?=\p{Ll})/u, '')
  return withoutArticle(object.replace(/\s+(?:up|out|off|on|over|down|back|away|in)$/i, ''))
}

const maxSteps = 16

export interface Span {
  readonly at: number
  readonly end: number
  /** Whether the step follows the previous step rather than accompanying it. */
  readonly later: boolean
}
type Part = Omit<Span, 'later'>

const numbered = new RegExp(
  String.raw`(?:^|\n)\s{0,9}(?:step\s+)?\d{1,2}[.):]\s+|(?:^|\n)\s{0,9}[-*•]\s+|(?<=:)\s+\(?1[.)]\s|` +
    String.raw`\s\(?[2-9][.)]\s+(?=\p{L})`,
  'giu',
)
const sequence = new RegExp(
  String.raw`(?:[.!?;:,]?\s{1,9}(?:and\s+|but\s+)?)(?<!\b(?:now|back|until|since|by) (?:and )?)` +
    '(?:then|after that|after this|afterwards?|subsequently|followed by|(?:once|when|as soon as|' +
    "after) (?:you(?:['’]ve| have| are|['’]re)?|that(?: is|['’]s)|it(?: is|['’]s)|this is)" +
    String.raw`\s[^,.!?\n]{2,60}?(?:,|\b(?:done|finished|ready)\b,?))(?=[\s,])\s*,?\s*(?:also\s+)?|` +
    String.raw`,? (?:and|then|but) (?=if \p{L})|[.!?;\n]\s{0,9}(?:finally|lastly|next|second(?:ly)?|` +
    String.raw`third(?:ly)?),?\s+`,
  'giu',
)
const swapped = new RegExp(
  String.raw`^(.{3,200}?),? (?:after|once you(?: have|['’]ve)|when you have) ((?:\p{L}+(?:ing|ed)|` +
    String.raw`found|got|made)\b[^,\n]{2,200})$`,
  'iu',
)

/** The steps of a prompt, in order of execution. */
export function stepsIn(plain: string): readonly Span[] {
  // The items of a list are consecutive steps.
  const [intro, ...items] = cut(plain, 0, numbered)
  if (items.length > 1 && /^$|[:.]$/.test(plain.slice(0, intro?.end).trim()))
    return items.slice(0, maxSteps).map((item) => ({ ...item, later: true }))
  const [, second = '', first] = /[.!?]\s/.test(plain) ? [] : (swapped.exec(plain) ?? [])
  if (first !== undefined)
    return [
      { at: plain.length - first.length, end: plain.length, later: false },
      { at: 0, end: second.length, later: true },
    ]
  const steps: Span[] = []
  for (const [step, part] of cut(plain, 0, sequence).entries())
    for (const [index, { at, end }] of clausesIn(plain.slice(part.at, part.end), part.at).entries())
      if (/[\p{L}\p{N}\u0001]/u.test(plain.slice(at, end)))
        steps.push({ at, end, later: step > 0 && index === 0 })
  return steps.slice(0, maxSteps)
}

/** The parts of a text between the matches of a pattern. */
export function cut(text: string, base: number, pattern: RegExp): readonly Part[] {
  const parts: Part[] = []
  let at = 0
  for (const { index, 0: mark } of matchesIn(text, pattern)) {
    parts.push({ at: base + at, end: base + index })
    at = index + mark.length
  }
  return [...parts, { at: base + at, end: base + text.length }]
}

const sentence = new RegExp(
  String.raw`(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|St|vs|no|No)\.)\s+(?=[\p{Lu}\d"“\u0001])|(?<=[!?])\s+|` +
    String.raw`\n+|(?<=[a-z]\p{L}{2}[.])\s+(?=\p{Ll})`,
  'gu',
)
const conjunction = new RegExp(
  String.raw`(?:,? and(?: also| then)?|, (?:but )?(?:also |just )?|;| but)\s+(?:please |also |then ` +
    String.raw`)?(?=(\p{L}+)(?:\s+(\p{L}+|\u0001))?)`,
  'giu',
)

/** The clauses that may contain a separate request: sentences, and verbs after "and". */
function clausesIn(text: string, base: number): readonly Part[] {
  const clauses: Part[] = []
  for (const { at, end } of cut(text, base, sentence)) {
    const plain = text.slice(at - base, end - base)
    let from = 0
    for (const { index, 0: mark, 1: word = '', 2: second = '' } of matchesIn(plain, conjunction)) {
      const before = plain.slice(from, index)
      // "Squash and merge" is one action.
      if (!/\S\s+\S/.test(before) || !startsClause(word, second, before)) continue
      clauses.push({ at: at + from, end: at + index })
      from = index + mark.length
    }
    clauses.push({ at: at + from, end })
  }
  return clauses
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
