/** What a prompt says, and parts of it: what they are about, and what they want done. */
import { actionsOf, isArithmetic, phrasesIn, type SaidAction } from './actions.ts'
import { conceptOf, pairsIn } from './subjects.ts'

interface Meaning {
  /** In lower case. */
  readonly raw: string
  readonly concepts: readonly string[]
  readonly actions: readonly string[]
}
interface SaidWord extends Meaning {
  readonly at: number
  readonly asVerb: boolean
}

/** Only the end of a long prompt is read: the latest message is there. */
const readLength = 8000

/** Words behind which a verb stands. */
const verbLeads: ReadonlySet<string> = new Set(
  `to please you and then i we us let's lets i'd i'll first next finally also or just now must should could
  can will would kindly need want gonna wanna go by`.split(/\s+/),
)
const pause = /[.!?,;:\n]/
const question =
  /\?|(?:^|[.!,]\s+)(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|has|have)\b/iu
const number =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand)\b/iu
const backReference = new RegExp(
  String.raw`\b(?:it|its|them|their|him|her|they|that|those|this|previous|last (?:result|answer|number)|` +
    String.raw`the (?:result|answer|sum|product|output|total|difference|quotient|number|value|outcome)s?)\b`,
  'iu',
)
const filePath = /(?<![\w/:.])(?:[~.]{0,2}\/[\w.-]+|[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,4}\b(?!\.\w|@))/g

const codeOfThing = /\b(?:[A-Z]{2,6}(?=[-_]?\d)|[a-z]{2,8}(?=_\w*\d))/g

/** Whether a text asks a question. */
export const asks = (text: string): boolean => question.test(text)

/** A prompt whose words are read once, for all parts of it. */
export class SaidText {
  readonly text: string
  readonly #words: readonly SaidWord[]
  readonly #phrases: readonly SaidAction[]
  readonly #quotes: readonly (readonly [number, number])[]

  constructor(text: string) {
    this.text = text
    this.#words = wordsIn(text)
    this.#phrases = phrasesIn(text.slice(-readLength))
    this.#quotes = /["“]/.test(text)
      ? [...text.matchAll(/"[^"\n]{1,400}"|“[^”\n]{1,400}”/gu)].map(({ 0: quote, index }) => [
          index,
          index + quote.length,
        ])
      : []
  }

  get quotes(): boolean {
    return this.#quotes.length > 0
  }

  /** What is quoted is a value, and says nothing about what is wanted, unless nothing else does. */
  part(from = 0, to: number = this.text.length, withQuotes = false): SaidPart {
    const isQuoted = (at: number): boolean =>
      !withQuotes && this.#quotes.some(([start, end]) => at >= start && at < end)
    const within = ({ at }: { readonly at: number }): boolean => at >= from && at < to && !isQuoted(at)
    const words = this.#words.slice(firstAt(this.#words, from), firstAt(this.#words, to))
    return new SaidPart(
      this.text.slice(from, to),
      this.quotes ? words.filter(within) : words,
      this.#phrases.filter(within),
    )
  }
}

/** The index of the first word at a position or behind it. */
function firstAt(words: readonly SaidWord[], position: number): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] as SaidWord).at < position) low = middle + 1
    else high = middle
  }
  return low
}

export class SaidPart {
  readonly text: string
  /** The subjects and stems, each with its first position in the prompt. */
  readonly concepts: ReadonlyMap<string, number>
  readonly words: ReadonlySet<string>
  readonly actions: readonly SaidAction[]
  #asks: boolean | undefined
  #counts: boolean | undefined
  #codes: readonly string[] | undefined
  #joined: string | undefined

  constructor(text: string, words: readonly SaidWord[], phrases: readonly SaidAction[]) {
    this.text = text
    const concepts = new Map<string, number>()
    const actions = [...phrases]
    for (const { at, raw, concepts: own, actions: named, asVerb } of words) {
      for (const concept of own) if (!concepts.has(concept)) concepts.set(concept, at)
      for (const action of named) actions.push({ action, word: raw, at, asVerb })
    }
    this.words = new Set(words.map(({ raw }) => raw))
    this.actions = actions
    // "17 * 23" is about arithmetic without a word of it.
    const sum = actions.find(({ action }) => isArithmetic(action))
    if (sum !== undefined && !concepts.has('math') && this.counts) concepts.set('math', sum.at)
    this.concepts = concepts
  }

  /** Whether it asks a question, which looks at things whatever its verbs. */
  get asks(): boolean {
    return (this.#asks ??= asks(this.text))
  }

  /** Whether it has numbers, or refers to one ("the result"). */
  get counts(): boolean {
    return (this.#counts ??= number.test(this.text) || backReference.test(this.text))
  }

  /** The letters in front of ids, in lower case: `ord` of ORD-12. */
  get codes(): readonly string[] {
    return (this.#codes ??= /\d/.test(this.text)
      ? [...this.text.matchAll(codeOfThing)].map(([letters]) => letters.toLowerCase())
      : [])
  }

  get refersBack(): boolean {
    return backReference.test(this.text)
  }

  /** Whether it has a word, also when it is written apart: "check out". */
  has(word: string): boolean {
    if (this.words.has(word)) return true
    if (word.length < 6) return false
    this.#joined ??= this.text.toLowerCase().replaceAll(' ', '')
    return this.#joined.includes(word)
  }
}

// Most words stand behind one space.
const pausesBetween = (text: string, end: number, start: number): boolean =>
  (start - end > 1 || text[end] !== ' ') && pause.test(text.slice(end, start))

const plainWord = /[a-z\d]+(?:'[a-z]+)?/gi
const anyWord = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu

function wordsIn(text: string): readonly SaidWord[] {
  const words: SaidWord[] = []
  const from = Math.max(0, text.length - readLength)
  const read = text.slice(from)
  const isPlain = !/[^\0-\x7f]/.test(read)
  const isCamel = isPlain ? /[a-z\d][A-Z]/.test(read) : /[\p{Ll}\d]\p{Lu}/u.test(read)
  // The same words come again and again.
  const meanings = new Map<string, Meaning>()
  let end = 0
  let before: string | undefined
  for (const { 0: written, index } of read.matchAll(isPlain ? plainWord : anyWord)) {
    const asVerb = before === undefined || verbLeads.has(before) || pausesBetween(read, end, index)
    let at = from + index
    for (const part of isCamel ? written.split(/(?<=[\p{Ll}\d])(?=\p{Lu})/u) : [written]) {
      let meaning = meanings.get(part)
      if (meaning === undefined) {
        meaning = meaningOf(part)
        meanings.set(part, meaning)
      }
      words.push({ at, asVerb, ...meaning })
      at += part.length
    }
    end = index + written.length
    before = words.at(-1)?.raw
  }
  const inOrder = words.length
  // "config.json" and "/etc/hosts" are files without the word.
  if (/[/.]\w/.test(read))
    for (const { 0: path, index } of read.matchAll(filePath)) {
      const isFile = /\.\w{1,5}$/.test(path)
      words.push({
        at: from + index,
        raw: isFile ? 'file' : '',
        concepts: [conceptOf('file') as string],
        actions: [],
        asVerb: false,
      })
    }
  // What stands in backquotes is code.
  const code = read.includes('`') ? read.search(/`[^`\n]+`/) : -1
  if (code >= 0)
    words.push({ at: from + code, raw: 'command', concepts: ['command'], actions: [], asVerb: false })
  return words.length === inOrder ? words : words.sort((a, b) => a.at - b.at)
}

function meaningOf(written: string): Meaning {
  const raw = written.toLowerCase().replaceAll('’', "'")
  const concept = conceptOf(raw)
  const actions = actionsOf(raw) ?? []
  return { raw, concepts: pairsIn(raw) ?? (concept === undefined ? [] : [concept]), actions }
}
