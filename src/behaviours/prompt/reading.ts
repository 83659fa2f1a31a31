/** The content of a text: typed values with their positions, phrases, the requested action, and its steps. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { Facilities } from '../../protocol/endpoint.ts'
import { bracketedIn } from './json-shape.ts'
import { matchesIn } from './matches.ts'
import { type Lead, leadOf, type Phrase, phrasesIn } from './phrases.ts'
import {
  type Calculation,
  calculationsIn,
  type FoundLength,
  lengthsIn,
  type Moment,
  mayTellTime,
  momentsIn,
} from './quantities.ts'
import {
  conceptsOf,
  numberOf,
  numberPattern,
  plainVerbs,
  promptWords,
  stemOf,
  stops,
  verbGroups,
} from './words.ts'

export type ThingKind =
  | ('json' | 'quote' | 'sql' | 'url' | 'email' | 'point' | 'phone' | 'moment')
  | ('length' | 'money' | 'path' | 'code' | 'number' | 'name')

export interface Thing {
  readonly kind: ThingKind
  readonly at: number
  readonly end: number
  /** As written; for a quotation, the quoted text. */
  readonly text: string
  readonly value?: unknown
  readonly number?: number
  /** The unit of a number, or the currency of an amount. */
  readonly unit?: string
  readonly moment?: Moment
  readonly length?: FoundLength
}

const FILL = '\u0001'
const maxText = 12_000
const maxThings = 200

const codes = 'USD|EUR|GBP|JPY|CHF|CAD|AUD|SEK|PLN|INR'
const currencies = `(?:dollars?|bucks?|euros?|pounds?|quid|yen|francs?|cents?|rupees?|${codes})`
const symbols: Readonly<Record<string, string>> = {
  ...{ $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', dollar: 'USD', buck: 'USD', euro: 'EUR' },
  ...{ pound: 'GBP', quid: 'GBP', yen: 'JPY', franc: 'CHF', rupee: 'INR', cent: 'cent' },
}
export const currencyOf = (word: string): string =>
  symbols[word.toLowerCase().replace(/s$/, '')] ?? word.toUpperCase()

/** The words of `numberPattern`, or parts of them. */
const mayBeNumber = new RegExp(
  String.raw`\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|twenty|thirty|forty|` +
    'fifty|sixty|seventy|eighty|ninety|dozen|couple|pair|twice|hundred|thousand|million',
  'i',
)

type Read = (found: readonly string[]) => Partial<Thing> | undefined
const trimmed: Read = ([text = '']) => ({ text: text.replace(/[.,;:!?)'"]+$/, '') })
const amountOf = (text: string): number => Number(text.replaceAll(',', ''))
const number =
  String.raw`(?<![\w.,]|\d:|\b(?:the|first|second|last|that|this|which|\w+est) (?=one\b))` +
  String.raw`([-−]?${numberPattern})(?!:\d)(?:\s?(%|°[CF]?|\p{L}+))?`

/**
 * A kind of value, its notation, a quick test for the notation, and its reader. The first row that can read a
 * part of the text takes it.
 */
type Row = readonly [ThingKind, RegExp, RegExp, Read]
const typed: readonly Row[] = [
  ['quote', /```[\w-]*\n([^]{1,20000}?)\n?```/g, /```/, ([, text = '']) => ({ text })],
  [
    'sql',
    new RegExp(
      String.raw`\b(?:SELECT\s[^\n;]{1,2000}|select\s[^\n;]{1,500}?\sfrom\s[^\n;]{1,500}|(?:INSERT ` +
        String.raw`INTO|UPDATE|DELETE FROM|(?:CREATE|DROP|ALTER) TABLE)\s[^\n;]{1,2000});?`,
      'g',
    ),
    /select|INSERT|UPDATE|DELETE|TABLE|SELECT/,
    ([text = '']) => ({ text: text.replace(/[.?!]$/, '').trim() }),
  ],
  [
    'quote',
    new RegExp(
      String.raw`"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|«([^»\n]{1,2000})»|` +
        String.raw`\x60([^\x60\n]{1,2000})\x60|` +
        String.raw`(?<![\p{L}\p{N}])'([^'\n]{1,300})'(?![\p{L}\p{N}])|‘([^’\n]{1,300})’`,
      'gu',
    ),
    /["“«`'‘]/,
    (found) => ({ text: found.slice(1, 7).find((part) => part !== undefined) as string }),
  ],
  ['url', /\b(?:https?:\/\/|www\.)[^\s"'<>`]{1,2000}/gi, /:\/\/|www\./i, trimmed],
  ['email', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g, /@/, trimmed],
  ['point', /-?\d{1,3}\.\d+ ?(?:°[NSEW])?, ?-?\d{1,3}\.\d+/g, /\d\./, () => ({})],
  ['phone', /\+\d[\d ()/.-]{5,20}\d|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3,4}-\d{4}\b/g, /\d{3}/, () => ({})],
  [
    'path',
    new RegExp(
      String.raw`(?:~|\.{1,2})?(?:\/[\w.@~*+-]+)+\/?|(?<![\w/])\.{1,2}\/?(?=\s|$)|` +
        String.raw`\b[\w.@*+-]+(?:\/[\w.@*+-]+)+\/?|\b[\w@+-]+\/(?=\s|$|[.,!?])|` +
        String.raw`(?<![\w@.])[\w*+-]*(?:\.[\w-]+)*\.(?:[a-z]{1,5}\d?|[A-Z]{2,4})\b(?!\()`,
      'g',
    ),
    /[./]/,
    (found) =>
      /^(?:and\/or|km\/h|e\.g|i\.e|a\.m|p\.m|\d+(?:\/\d+)+|[A-Z]{3}\/[A-Z]{3}|\.)$/i.test(found[0] ?? '')
        ? undefined
        : trimmed(found),
  ],
]
const plainer: readonly Row[] = [
  [
    'money',
    new RegExp(
      String.raw`(?:US)?([$€£¥]|\b(?:${codes})(?= ?\d))\s?(\d[\d,]{0,20}(?:\.\d+)?)(k|m)?\b|` +
        String.raw`(\d[\d,]{0,20}(?:\.\d+)?)\s?(?:([$€£¥])|(?:US |Swiss )?(${currencies})\b)`,
      'gi',
    ),
    new RegExp(String.raw`[$€£¥]|[\d,]\s?(?:US |Swiss )?${currencies}|(?:${codes}) ?\d`, 'i'),
    ([, sign, first, scale, second, behind, word]) => ({
      number: amountOf(first ?? second ?? '') * (scale === undefined ? 1 : /k/i.test(scale) ? 1000 : 1e6),
      unit: currencyOf(sign ?? behind ?? word ?? ''),
    }),
  ],
  [
    'code',
    new RegExp(
      String.raw`#\w+(?:-\w+)*|\b[A-Z]{1,2}\d{1,4}:[A-Z]{1,2}\d{1,4}\b|` +
        String.raw`\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z_-])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*\b(?!%)|` +
        String.raw`\b[A-Z]{2,}(?:-[A-Z\d]+)+\b|\b[a-z]+_[a-z0-9]+\b|\b\d{5,}\b|\b(?!(?:19|20)\d\d\b)\d{4}\b`,
      'g',
    ),
    /\d|_|#|-/,
    ([text = '']) => (/^\d+(?:st|nd|rd|th|k|x|kg|km|cm|mm|gb|mb|g|m)$|^[A-Z]\d$/.test(text) ? undefined : {}),
  ],
  [
    'number',
    new RegExp(number, 'giu'),
    mayBeNumber,
    ([, figure = '', unit = '']) => {
      const value = numberOf(figure)
      const lower = unit.toLowerCase()
      return value === undefined
        ? undefined
        : { number: value, text: figure, unit: stops.has(lower) ? '' : lower }
    },
  ],
]

/** The maximum length of a cached text, of all cached texts together, and their maximum number. */
const maxKept = { each: 4000, all: 100_000, count: 300 }

/**
 * Reads the texts of a call. Readings of earlier calls are in `shared` while their meaning is the same: an
 * agent sends the same instructions and prompt in each round. Each text of a call has a separate reading. A
 * text cut out of a larger text must be a copy, because the cache would keep the larger text.
 */
export function createReader(shared: Facilities, now: number): (text: string) => Reading {
  const kept = (shared.readings ??= new BoundedMap({
    size: maxKept.all,
    count: maxKept.count,
  })) as BoundedMap<Reading>
  const given = new Set<Reading>()
  return (text) => {
    if (text.length > maxKept.each) return new Reading(text, now)
    const key = mayTellTime.test(text) ? `${now} ${text}` : text
    const known = kept.use(key)
    if (known !== undefined && !given.has(known)) {
      given.add(known)
      return known
    }
    const reading = new Reading(text, now)
    if (known === undefined) kept.set(key, reading, text.length + 1)
    given.add(reading)
    return reading
  }
}

/** A text whose properties are read once, on first use. Parts share the values already read. */
export class Reading {
  readonly text: string
  readonly now: number
  readonly #known: (() => readonly [readonly Thing[], string]) | undefined
  #read: readonly [readonly Thing[], string] | undefined
  #phrases: readonly Phrase[] | undefined
  #lead: Lead | undefined
  #heard: Heard | undefined
  #lower: string | undefined
  #around: Map<number, Around> | undefined
  #parts: Map<number, Reading> | undefined
  #concepts: ReadonlySet<string> | undefined
  #calculations: readonly [number | undefined, readonly Calculation[]] | undefined

  constructor(text: string, now: number, known?: () => readonly [readonly Thing[], string]) {
    this.text = text.slice(-maxText)
    this.now = now
    this.#known = known
  }

  get things(): readonly Thing[] {
    return (this.#read ??= (this.#known ?? (() => read(this.text, this.now)))())[0]
  }

  /** The text without typed values, except names, numbers, amounts and codes. */
  get plain(): string {
    return this.things && ((this.#read as readonly [unknown, string])[1] as string)
  }

  of(...kinds: readonly string[]): readonly Thing[] {
    const { things } = this
    return things.length === 0 ? things : things.filter(({ kind }) => kinds.includes(kind))
  }

  /** The part between two positions. */
  part(from: number, to: number): Reading {
    if (from === 0 && to === this.text.length) return this
    const key = from * maxText + to
    this.#parts ??= new Map()
    let part = this.#parts.get(key)
    if (part === undefined) {
      part = new Reading(this.text.slice(from, to), this.now, () => [
        this.things.flatMap((thing) =>
          thing.at >= from && thing.end <= to ? { ...thing, at: thing.at - from, end: thing.end - from } : [],
        ),
        this.plain.slice(from, to),
      ])
      this.#parts.set(key, part)
    }
    return part
  }

  /** The same reading with gaps instead of some parts. */
  without(gaps: readonly (readonly [number, number])[]): Reading {
    if (gaps.length === 0) return this
    const blank = (text: string): string =>
      gaps.reduce((rest, [at, end]) => rest.slice(0, at) + ' '.repeat(end - at) + rest.slice(end), text)
    return new Reading(blank(this.text), this.now, () => [
      this.things.filter((thing) => !gaps.some(([at, end]) => thing.at < end && at < thing.end)),
      blank(this.plain),
    ])
  }

  get lower(): string {
    return (this.#lower ??= this.text.toLowerCase())
  }

  /** All words in lower case, each between spaces, with currency signs, and the positions of each stem. */
  get heard(): Heard {
    return (this.#heard ??= heardIn(this.text))
  }

  /** The concepts of the text, without quotations. */
  get concepts(): ReadonlySet<string> {
    return (this.#concepts ??= conceptsOf(plainVerbs(this.plain)))
  }

  /** The calculations in the text. "The result" refers to the number `known`. */
  calculations(known?: number): readonly Calculation[] {
    if (this.#calculations?.[0] !== known) this.#calculations = undefined
    return (this.#calculations ??= [known, calculationsIn(this.text, known)])[1]
  }

  /** The text after each preposition, up to the next preposition. */
  get phrases(): readonly Phrase[] {
    return (this.#phrases ??= phrasesIn(this.plain))
  }

  /** The action and its object: "schedule" and "dentist appointment". */
  get lead(): Lead {
    return (this.#lead ??= leadOf(this.plain))
  }

  /** The words before a position, and the stems of the nearest words on both sides. */
  around(at: number, end: number, unit = ''): Around {
    const key = at * maxText + end
    this.#around ??= new Map()
    let around = this.#around.get(key)
    if (around === undefined) {
      const before = this.before(at)
      const clause = /^[^.!?\n;,]*/.exec(this.text.slice(end, end + 40).toLowerCase())?.[0] ?? ''
      const behind = clause.match(/[\p{L}%°]+/gu)?.slice(0, 2) ?? []
      const near = unit === '' ? before.slice(0, 2) : [...before.slice(0, 2), unit]
      const heard: string[] = []
      for (const words of [near, behind])
        for (const word of words) for (const one of promptWords(word)) heard.push(stemOf(one))
      around = { before, heard }
      this.#around.set(key, around)
    }
    return around
  }

  /** The words before a position, nearest first, in lower case. */
  before(at: number, count = 3): readonly string[] {
    const words = this.text.slice(Math.max(0, at - 60), at).toLowerCase()
    return (words.match(/[\p{L}\p{N}$#'’]+/gu) ?? []).slice(-count).reverse()
  }
}

interface Around {
  readonly before: readonly string[]
  readonly heard: readonly string[]
}

interface Heard {
  readonly plain: string
  readonly stems: ReadonlyMap<string, number>
}

export const plainOf = (text: string): string =>
  ` ${(
    text
      .replace(/['’]/gu, '')
      .toLowerCase()
      .match(/[$€£¥]|°[cf]|[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')} `

function heardIn(text: string): Heard {
  const plain = plainOf(text)
  const stems = new Map<string, number>()
  let at = 0
  for (const word of plain.trim().split(' ')) {
    stems.set(stemOf(word), at)
    at += word.length + 1
  }
  return { plain, stems }
}

type Found = readonly [number, number, Partial<Thing>]

function read(text: string, now: number): readonly [readonly Thing[], string] {
  const things: Thing[] = []
  let rest = text
  const add = (kind: ThingKind, [at, end, more]: Found): number =>
    things.push({ kind, at, end, text: text.slice(at, end), ...more })
  const take = (kind: ThingKind, found: readonly Found[]): void => {
    if (found.length === 0) return
    const parts: string[] = []
    let from = 0
    for (const one of found.slice(0, maxThings)) {
      const [at, end] = one
      add(kind, one)
      parts.push(rest.slice(from, at), FILL.repeat(end - at))
      from = end
    }
    rest = parts.join('') + rest.slice(from)
  }
  const scan = (rows: readonly Row[]): void => {
    for (const [kind, pattern, sign, readOne] of rows)
      if (sign.test(rest))
        take(
          kind,
          matchesIn(rest, pattern).flatMap((match) => placed(kind, match, readOne)),
        )
  }
  if (/[{[]/.test(rest))
    for (const { value, text: json, at } of bracketedIn(rest, /[{[]/g))
      if (value !== undefined) take('json', [[at, at + json.length, { value }]])
  scan(typed)
  take(
    'moment',
    momentsIn(rest, now).map((moment) => [moment.at, moment.end, { moment }]),
  )
  take(
    'length',
    lengthsIn(rest).map((one) => [one.at, one.end, { length: one, number: one.count, unit: one.unit }]),
  )
  const plain = rest
  scan(plainer)
  for (const name of namesIn(rest, text).slice(0, maxThings)) add('name', name)
  return [things.sort((a, b) => a.at - b.at), plain]
}

function placed(kind: ThingKind, match: RegExpExecArray, readOne: Read): Found[] {
  const more = readOne(match)
  if (more === undefined) return []
  const { length } = match[0]
  const own = more.text === undefined || kind === 'quote' ? length : Math.max(1, more.text.length)
  return [[match.index, match.index + Math.min(length, own), more]]
}

const names = new RegExp(
  String.raw`(?<![\p{L}\p{N}'’-])(?:\p{Lu}[\p{L}\p{N}&'’-]*(?:(?: (?:of|de|la|el|the|van|von|di|da|` +
    String.raw`du|&) (?=\p{Lu})| d['’](?=\p{Lu})| )\p{Lu}[\p{L}\p{N}&'’-]*){0,9}|@[\w.-]+)`,
  'gu',
)
const notNames = new Set(
  `I I'm I'd I'll I've The A An My Our Your It This That These Those He She They We You And Or But If In On
  At For From With To Of By As So Is Are Do Does Did Can Could Would Will Should What Which Who Whom
  Whose When Where Why How Please Also Then First Next Finally Ok Okay Hi Hello Hey Thanks Thank No Yes
  Not There Here Any All Some Every After Before Once While Now Just Only Let Need Want`.split(/\s+/),
)

/**
 * Capitalised names. The first word of a sentence belongs to a name only if it cannot begin a sentence
 * otherwise.
 */
function namesIn(rest: string, text: string): readonly Found[] {
  return matchesIn(rest, names).flatMap(({ index, 0: written }): Found[] => {
    if (written.startsWith('@')) return [[index, index + written.length, { text: written.slice(1) }]]
    let [at, name] = [index, written.replace(/['’]s$/u, '').replace(/['’-]+$/u, '')]
    const isStart = /(?:^|[.!?:;\n]\s*|["“(]\s*)$/u.test(text.slice(Math.max(0, at - 4), at))
    const isFirst = (word: string): boolean =>
      notNames.has(word.replace('’', "'")) || (isStart && at === index && isOpening(word, name, text, at))
    for (let [first = ''] = name.split(' '); first !== '' && isFirst(first); [first = ''] = name.split(' ')) {
      at += first.length + 1
      name = name.slice(first.length + 1)
    }
    return name === '' || /^\d/.test(name) ? [] : [[at, at + name.length, { text: name }]]
  })
}

/** Whether the first word of a sentence is a verb or a plain word rather than part of a name. */
function isOpening(first: string, name: string, text: string, at: number): boolean {
  if (/^[A-Z\d]{3,}$/.test(first)) return false
  if (verbGroups(first).length > 0) return true
  const behind = text.slice(at + name.length, at + name.length + 12)
  const isDoing = /^(?:['’]s\b|,? (?:is|was|has|lives|works|and|wants|needs|said|says|or)\b|\s*$)/
  return !name.includes(' ') && !isDoing.test(behind)
}
