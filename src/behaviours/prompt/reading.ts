/** What a text offers to the fields of a schema: typed things with their places, and phrases. */
import { bracketedIn } from './json-values.ts'
import { type FoundLength, lengthsIn, type Moment, momentsIn } from './moments.ts'
import { numberOf, numberPattern, stemOf, stops, verbGroups } from './words.ts'

export type ThingKind =
  | 'json'
  | 'quote'
  | 'sql'
  | 'url'
  | 'email'
  | 'point'
  | 'phone'
  | 'moment'
  | 'length'
  | 'money'
  | 'path'
  | 'code'
  | 'number'
  | 'name'

export interface Thing {
  readonly kind: ThingKind
  readonly at: number
  readonly end: number
  /** As written; of a quotation, what is quoted. */
  readonly text: string
  readonly value?: unknown
  readonly number?: number
  /** The unit of a number, the currency of an amount. */
  readonly unit?: string
  readonly moment?: Moment
  readonly length?: FoundLength
}

const FILL = '\u0001'
const maxText = 12_000

const quotes = new RegExp(
  String.raw`"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|«([^»\n]{1,2000})»|\x60([^\x60\n]{1,2000})\x60|` +
    String.raw`(?<![\p{L}\p{N}])'([^'\n]{1,300})'(?![\p{L}\p{N}])|‘([^’\n]{1,300})’`,
  'gu',
)
const fences = /```[\w-]*\n([^]{1,20000}?)\n?```/g
const sql = new RegExp(
  String.raw`\b(?:SELECT\s[^\n;]{1,2000}|select\s[^\n;]{1,500}?\sfrom\s[^\n;]{1,500}|INSERT ` +
    String.raw`INTO\s[^\n;]{1,2000}|UPDATE\s\S{1,60}\sSET\s[^\n;]{1,2000}|DELETE FROM\s[^\n;]{1,2000}|` +
    String.raw`(?:CREATE|DROP|ALTER) TABLE\s[^\n;]{1,2000});?`,
  'g',
)
const urls = /\b(?:https?|ftp|wss?):\/\/[^\s"'<>`]{1,2000}|\bwww\.[\w-]+(?:\.[\w-]+)+[^\s"'<>`]{0,500}/gi
const emails = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g
const points = /-?\d{1,3}\.\d+ ?(?:°[NSEW])?, ?-?\d{1,3}\.\d+/g
const phones = /\+\d[\d ()/.-]{5,20}\d|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3,4}-\d{4}\b/g
const currencies =
  '(?:dollars?|bucks?|euros?|pounds?|quid|yen|francs?|cents?|rupees?|USD|EUR|GBP|JPY|CHF|CAD|AUD|SEK|PLN|INR)'
const money = new RegExp(
  String.raw`(?:US)?([$€£¥])\s?(\d[\d,]*(?:\.\d+)?)(k|m)?\b|(\d[\d,]*(?:\.\d+)?)\s?(?:([$€£¥])|(?:US |` +
    String.raw`Swiss )?(${currencies})\b)`,
  'gi',
)
const paths = new RegExp(
  String.raw`(?:~|\.{1,2})?(?:\/[\w.@~*+-]+)+\/?|(?<![\w/])\.{1,2}\/?(?=\s|$)|` +
    String.raw`\b[\w.@*+-]+(?:\/[\w.@*+-]+)+\/?|\b[\w@+-]+\/(?=\s|$|[.,!?])|` +
    String.raw`(?<![\w@])[\w*+-]*(?:\.[\w-]+)*\.(?:[a-z]{1,5}\d?|[A-Z]{2,4})\b(?!\()`,
  'g',
)
const codes = new RegExp(
  String.raw`#\w+(?:-\w+)*|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z_-])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*\b(?!%)|` +
    String.raw`\b[a-z]+_[a-z0-9]+\b|\b\d{5,}\b|\b(?!(?:19|20)\d\d\b)\d{4}\b`,
  'g',
)
const names = new RegExp(
  String.raw`(?<![\p{L}\p{N}'’-])\p{Lu}[\p{L}\p{N}&'’-]*(?:(?: (?:of|de|la|el|the|van|von|di|da|du|&) ` +
    String.raw`(?=\p{Lu})| )\p{Lu}[\p{L}\p{N}&'’-]*)*`,
  'gu',
)

const symbols: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  dollar: 'USD',
  buck: 'USD',
  euro: 'EUR',
  pound: 'GBP',
  quid: 'GBP',
  yen: 'JPY',
  franc: 'CHF',
  rupee: 'INR',
  cent: 'cent',
}
export const currencyOf = (word: string): string =>
  symbols[word.toLowerCase().replace(/s$/, '')] ?? word.toUpperCase()
const amountOf = (text: string): number => Number(text.replaceAll(',', ''))

type Read = (found: readonly string[], at: number) => Partial<Thing> | undefined
const plain: Read = () => ({})
const trimmed = (text: string): string => text.replace(/[.,;:!?)'"]+$/, '')
const readers: readonly (readonly [ThingKind, RegExp, Read])[] = [
  ['quote', fences, ([, text = '']) => ({ text })],
  ['sql', sql, ([text = '']) => ({ text: text.replace(/[.?!]$/, '').trim() })],
  ['quote', quotes, (found) => ({ text: found.slice(1, 7).find((part) => part !== undefined) as string })],
  ['url', urls, ([text = '']) => ({ text: trimmed(text) })],
  ['email', emails, ([text = '']) => ({ text: trimmed(text) })],
  ['point', points, plain],
  ['phone', phones, plain],
  [
    'path',
    paths,
    ([text = '']) =>
      /^(?:and\/or|km\/h|e\.g|i\.e|a\.m|p\.m|\d+(?:\/\d+)+|[A-Z]{3}\/[A-Z]{3}|\.)$/i.test(text)
        ? undefined
        : { text: trimmed(text) },
  ],
]
const laterReaders: typeof readers = [
  [
    'money',
    money,
    ([, sign, first, scale, second, behind, word]) => ({
      number: amountOf(first ?? second ?? '') * (scale === undefined ? 1 : /k/i.test(scale) ? 1000 : 1e6),
      unit: currencyOf(sign ?? behind ?? word ?? ''),
    }),
  ],
  [
    'code',
    codes,
    ([text = '']) => (/^\d+(?:st|nd|rd|th|k|x|kg|km|cm|mm|gb|mb|g|m)$|^[A-Z]\d$/.test(text) ? undefined : {}),
  ],
  [
    'number',
    new RegExp(String.raw`(?<![\w.,])[-−]?${numberPattern}(?:\s?(%|°[CF]?|\p{L}+))?`, 'giu'),
    (found) => {
      const [written = ''] = found
      const [, figure = '', unit] =
        new RegExp(String.raw`^([-−]?${numberPattern})(?:\s?(%|°[CF]?|\p{L}+))?$`, 'iu').exec(written) ?? []
      const number = numberOf(figure)
      return number === undefined
        ? undefined
        : {
            number,
            text: figure,
            unit: stops.has(unit?.toLowerCase() ?? '') ? '' : (unit ?? '').toLowerCase(),
          }
    },
  ],
]

/** A text that is read for what it offers. Everything is read on first need, once. */
export class Reading {
  readonly text: string
  readonly now: number
  #things: readonly Thing[] | undefined
  #plain = ''
  #phrases: readonly Phrase[] | undefined
  #lead: Lead | undefined
  #heard: { readonly plain: string; readonly stems: ReadonlyMap<string, number> } | undefined

  constructor(text: string, now: number) {
    this.text = text.slice(-maxText)
    this.now = now
  }

  get things(): readonly Thing[] {
    return (this.#things ??= this.#read())
  }

  /** The text without its typed things other than names, numbers, paths and codes. */
  get plain(): string {
    return this.things && this.#plain
  }

  of(...kinds: readonly ThingKind[]): readonly Thing[] {
    return this.things.filter(({ kind }) => kinds.includes(kind))
  }

  /** All words in lower case with a space around each, signs of money too, and where each stem stands. */
  get heard(): { readonly plain: string; readonly stems: ReadonlyMap<string, number> } {
    if (this.#heard !== undefined) return this.#heard
    const words =
      this.text
        .replace(/['’]/gu, '')
        .toLowerCase()
        .match(/[$€£¥]|°[cf]|[\p{L}\p{N}]+/gu) ?? []
    const stems = new Map<string, number>()
    let at = 0
    for (const word of words) {
      stems.set(stemOf(word), at)
      at += word.length + 1
    }
    this.#heard = { plain: ` ${words.join(' ')} `, stems }
    return this.#heard
  }

  /** What stands behind each preposition, up to the next one. */
  get phrases(): readonly Phrase[] {
    return (this.#phrases ??= phrasesIn(this.plain))
  }

  /** What is done, and to what: "schedule" and "dentist appointment". */
  get lead(): Lead {
    return (this.#lead ??= leadOf(this.plain))
  }

  /** The words in front of a place, nearest first, in lower case. */
  before(at: number, count = 3): readonly string[] {
    return (
      this.text
        .slice(Math.max(0, at - 60), at)
        .toLowerCase()
        .match(/[\p{L}\p{N}$#'’]+/gu) ?? []
    )
      .slice(-count)
      .reverse()
  }

  #read(): readonly Thing[] {
    const things: Thing[] = []
    let rest = this.text
    const take = (kind: ThingKind, at: number, end: number, more: Partial<Thing>): void => {
      things.push({ kind, at, end, text: this.text.slice(at, end), ...more })
      rest = rest.slice(0, at) + FILL.repeat(end - at) + rest.slice(end)
    }
    const scan = (list: typeof readers): void => {
      for (const [kind, pattern, read] of list) {
        const found: [number, number, Partial<Thing>][] = []
        for (const match of rest.matchAll(pattern)) {
          const more = read(match as unknown as string[], match.index)
          const length =
            more?.text !== undefined && kind !== 'quote'
              ? Math.min(match[0].length, Math.max(1, more.text.length))
              : match[0].length
          if (more !== undefined) found.push([match.index, match.index + length, more])
        }
        takeAll(kind, found)
      }
    }
    const takeAll = (
      kind: ThingKind,
      found: readonly (readonly [number, number, Partial<Thing>])[],
    ): void => {
      if (found.length === 0) return
      const parts: string[] = []
      let from = 0
      for (const [at, end, more] of found.slice(0, maxThings)) {
        things.push({ kind, at, end, text: this.text.slice(at, end), ...more })
        parts.push(rest.slice(from, at), FILL.repeat(end - at))
        from = end
      }
      rest = parts.join('') + rest.slice(from)
    }
    if (/[{[]/.test(rest))
      for (const { value, text, at } of bracketedIn(rest, /[{[]/g))
        if (value !== undefined) take('json', at, at + text.length, { value })
    scan(readers)
    takeAll(
      'moment',
      momentsIn(rest, this.now).map((one) => [one.at, one.end, { moment: one }]),
    )
    takeAll(
      'length',
      lengthsIn(rest).map((one) => [one.at, one.end, { length: one, number: one.count, unit: one.unit }]),
    )
    const afterTimes = rest
    scan(laterReaders)
    this.#plain = afterTimes
    takeAll('name', namesIn(rest, this.text))
    return things.sort((a, b) => a.at - b.at)
  }
}

/** The places of quotations, JSON and queries, which are not split. */
export const quotedIn = (text: string): readonly Thing[] =>
  /["“«`'‘{[]|SELECT|INSERT|UPDATE|DELETE/.test(text) ? new Reading(text, 0).of('quote', 'json', 'sql') : []

const maxThings = 200
const notNames = new RegExp(
  String.raw`^(?:I|I['’]\p{L}+|The|A|An|My|Our|Your|It|This|That|These|Those|He|She|They|We|You|And|Or|` +
    'But|If|In|On|At|For|From|With|To|Of|By|As|So|Is|Are|Do|Does|Did|Can|Could|Would|Will|' +
    'Should|What|Which|Who|Whom|Whose|When|Where|Why|How|Please|Also|Then|First|Next|Finally|' +
    'Ok|Okay|Hi|Hello|Hey|Thanks|Thank|No|Yes|Not|There|Here|Any|All|Some|Every|After|Before|' +
    'Once|While|Now|Just|Only|Let|Need|Want)$',
  'u',
)

/** Capitalised names. At the beginning of a sentence one word counts only where it cannot begin another. */
function* namesInner(text: string): Generator<readonly [number, string]> {
  for (const match of text.matchAll(names)) yield [match.index, match[0]]
}
function namesIn(rest: string, text: string): (readonly [number, number, Partial<Thing>])[] {
  const found: (readonly [number, number, Partial<Thing>])[] = []
  for (const [index, written] of namesInner(rest)) {
    let [at, name] = [index, written.replace(/['’]s$/u, '').replace(/['’-]+$/u, '')]
    const isStart = /(?:^|[.!?:;\n]\s*|["“(]\s*)$/u.test(text.slice(Math.max(0, at - 4), at))
    for (
      let [first = ''] = name.split(' ');
      first !== '' && (notNames.test(first) || (isStart && at === index && isOpening(first, name, text, at)));
      [first = ''] = name.split(' ')
    ) {
      at += first.length + 1
      name = name.slice(first.length + 1)
    }
    name = name.replace(/ (?:I|The|A)$/u, '')
    if (name !== '' && !/^\d/.test(name)) found.push([at, at + name.length, { text: name }])
  }
  return found
}

/** Whether the first word of a sentence is a verb or a plain word rather than part of a name. */
function isOpening(first: string, name: string, text: string, at: number): boolean {
  if (/^[A-Z\d]{2,}$/.test(first)) return false
  if (verbGroups(first).length > 0 && !/^(?:Mark|Bill|Grant|Will|Rob|Pat|Drew)$/.test(first)) return true
  if (name.includes(' ')) return false
  return !/^(?:['’]s\b|,? (?:is|was|has|lives|works|and|wants|needs|said|says|or)\b|\s*$)/.test(
    text.slice(at + name.length, at + name.length + 12),
  )
}

export interface Phrase {
  readonly prep: string
  readonly text: string
  readonly at: number
  readonly end: number
}
export interface Lead {
  /** The verb, in its plain form with its particle: `look up`; empty when there is none. */
  readonly verb: string
  readonly mode: 'do' | 'ask' | 'noun' | 'say'
  /** The words behind it up to the first preposition, and where they begin. */
  readonly object: string
  readonly at: number
}

const preps =
  'to for from in into on onto at with by about regarding concerning called named titled entitled as ' +
  'under near between until till that saying telling because mentioning mentions mention contains ' +
  'through within inside via using below over above against containing due since after before of ' +
  'than per behind toward towards is are was were will should which who whose when where while if so'
const prepPattern = new RegExp(
  String.raw`(?<![\p{L}\p{N}/-])(${preps.split(' ').join('|')})(?![\p{L}\p{N}/-])`,
  'giu',
)
const ends = new RegExp(
  String.raw`[,;!?\n\u0001()]|\.(?=\s|$)|:(?=\s)|\s(?:and then|then|please|and (?=\p{Ll}+ (?:it|me|the|` +
    String.raw`a|my|them|us|his|her|their)\b)|but)\s|\s-\s`,
  'u',
)
const article = new RegExp(
  '^(?:(?:the|a|an|my|our|your|his|her|its|their|this|that|these|those|some|any|all(?: of)?|' +
    String.raw`another|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,3}) )+(?=\p{L})`,
  'iu',
)
export const withoutArticle = (text: string): string => text.trim().replace(article, '').trim()

function phrasesIn(plain: string): readonly Phrase[] {
  const marks = [...plain.matchAll(prepPattern)].slice(0, maxThings)
  return marks.map((mark, index) => {
    const prep = (mark[1] as string).toLowerCase()
    const at = mark.index + prep.length
    let next = index + 1
    // "The end of the month" is one thing, and so is "what she said" behind "that".
    while (next < marks.length && (open.test(prep) || (marks[next]?.[1] ?? '').toLowerCase() === 'of')) next++
    const upTo = plain.slice(at, open.test(prep) ? plain.length : (marks[next]?.index ?? plain.length))
    const end = ends.exec(upTo.trimStart() === '' ? '' : upTo)?.index ?? upTo.length
    return { prep, text: upTo.slice(0, end).trim(), at: at + 1, end: at + end }
  })
}
const open = /^(?:that|saying|telling|because)$/

const courtesy = new RegExp(
  String.raw`^[\s,.!:]*(?:(?:please|pls|plz|kindly|hey|hi|hello|ok(?:ay)?|now|then|also|and|` +
    'first(?:ly)?|next|finally|afterwards|after that|so|just|quickly|maybe|great|thanks|go ' +
    String.raw`ahead and|(?:can|could|would|will) you)\b ?(?:please )?|i(?:['’]d| would)? (?:want|like|` +
    "need|love)(?: you)? to |i need you to |i have to |help me(?: to)? |let['’]?s |let us |we " +
    String.raw`(?:need|have|want) to |be so kind (?:as )?to |your task is to |never mind,? )[\s,:]*`,
  'i',
)
const questions = new RegExp(
  "^(?:what(?:['’]?s| is| are| was| were| do| does| did|ever)?|how(?:['’]?s| is| are| was| " +
    "many| much| long| far| old| warm| cold| hot| do| does)?|where(?:['’]?s| is| are| do| " +
    "does)?|who(?:['’]?s| is| are)?|when(?:['’]?s| is| are| do| does)?|which|why|is|are|was|" +
    String.raw`were|does|did|do|has|have|will|should|am|any)\b(?: there)?`,
  'i',
)
const particles = /^(?:up|out|off|on|over|down|back|away|in)$/

const subject = /^(?:i|we|you|he|she|they|it|that|this|there|my|your|our)(?:['’]\p{L}+)?\s/iu
const wish = /^(?:i|we)(?:['’]d)? (?:want|need|would like|like|am looking for) /i

export function leadOf(plain: string): Lead {
  let rest = plain.slice(0, 600)
  for (let cut = courtesy.exec(rest)?.[0]; cut !== undefined && cut !== ''; cut = courtesy.exec(rest)?.[0])
    rest = rest.slice(cut.length)
  rest = rest.trimStart()
  const lead = (mode: Lead['mode'], behind: string, verb = ''): Lead => {
    const object = objectIn(behind)
    return { verb, mode, object, at: object === '' ? -1 : plain.indexOf(object) }
  }
  const question = questions.exec(rest)?.[0]
  if (question !== undefined) return lead('ask', rest.slice(question.length))
  if (subject.test(rest)) return lead(wish.test(rest) ? 'noun' : 'say', rest.replace(wish, ''))
  const words = /^([\p{L}-]+)(?:\s+([\p{L}]+))?/u.exec(rest)
  const first = (words?.[1] ?? '').toLowerCase()
  if (words === null || verbGroups(first).length === 0) return lead('noun', rest)
  const second = (words[2] ?? '').toLowerCase()
  const verb = particles.test(second) ? `${first} ${second}` : first
  const behind = rest.slice(verb === first ? first.length : words[0].length)
  return lead('do', behind.replace(/^\s+(?:me|us|him|her|them|for)\b(?= )/i, ''), verb)
}

function objectIn(text: string): string {
  const end = ends.exec(text)?.index ?? text.length
  const before = text.slice(0, end)
  let cut = before.length
  for (const { index, 1: prep } of before.matchAll(prepPattern))
    if (index > 0 && prep?.toLowerCase() !== 'of' && before.slice(0, index).trim() !== '') {
      cut = index
      break
    }
  return withoutArticle(
    before
      .slice(0, cut)
      .replace(/^\s*to (?=\p{Ll})/u, '')
      .replace(/\s+(?:up|out|off|on|over|down|back|away|in)$/i, ''),
  )
}
