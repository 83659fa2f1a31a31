/** The values that a prompt and the results of tools give for an object, joined from all extractors. */
import { asText } from '../../../protocol/wording.ts'
import type { Found } from '../../prompt/facts.ts'
import { Reading } from '../../prompt/reading.ts'
import { stemOf } from '../../prompt/words.ts'
import type { ObjectShape, SchemaNode, StringShape } from '../clause.ts'
import { conforms } from '../conforms.ts'
import type { Filling, FillSite } from '../filling.ts'
import { cloneJson, isModestJson, type JsonValue, TYPE } from '../json-value.ts'
import type { Naming } from '../property-naming.ts'
import { type Assigning, assign, valuesOf } from './assign.ts'
import { type Field, fieldOf, fieldsOf, flagIn, mentionedIn, methodAmong, operatorAmong } from './fields.ts'
import { objectsIn } from './objects.ts'
import type { Offer } from './offers.ts'

interface State {
  readonly fields: readonly Field[]
  readonly values: Map<string, JsonValue>
  readonly filling: Filling
  fits(field: Field, value: JsonValue): boolean
}

/** What the facts give for the properties of an object, by their names. */
export function valuesFromPrompt(object: ObjectShape, filling: Filling): ReadonlyMap<string, JsonValue> {
  const { facts } = filling
  const { results, sparing } = facts
  const fields = fieldsOf(object)
  const values = new Map<string, JsonValue>()
  const fits: State['fits'] = (field, value) => fitsNode(field.node, value, filling)
  const state: State = { fields, values, filling, fits }
  const isOpen = (field: Field): boolean => field.required && !values.has(field.name)
  fromRecords(state, facts.records, sparing ? 'given' : 'exact')
  if (!sparing) fromRecords(state, results.records, 'exact')
  for (const field of results.said === '' ? [] : fields)
    if (!values.has(field.name) && field.is === 'body' && /^(?:answer|summary)$/.test(field.kind))
      fromResults(state, field)
  fromReading(state, facts.own, true)
  fromRecords(state, results.records, 'exact')
  fromReading(state, facts.own, false)
  fromRecords(state, results.records, 'near')
  for (const reading of facts.others) if (fields.some(isOpen)) fromReading(state, reading, true)
  for (const field of sparing ? fields : [])
    if (isOpen(field) && field.nullable && fits(field, null)) values.set(field.name, null)
  return values
}

export const fitsNode = (node: SchemaNode, value: JsonValue, { work }: Filling): boolean =>
  isModestJson(value) &&
  node.shapes.some(
    ({ clauses, excluded }) =>
      clauses.every((clause) => conforms(clause, value, work, true)) &&
      !excluded.some((branch) => conforms(branch, value, work)),
  )

function put({ values, filling }: State, field: Field, value: JsonValue): void {
  values.set(field.name, cloneJson(value))
  filling.used.push({ from: undefined, at: -1, end: -1, part: asText(value) })
}

// --- from a text ---

/** What a text gives; `sure` leaves out what is only likely. */
function fromReading(state: State, from: Reading, sure: boolean): void {
  const { fields, filling, values, fits } = state
  const { facts, used } = filling
  const isOwn = from === facts.own
  const open = fields.filter((field) => !values.has(field.name) && (isOwn || field.required))
  if (open.length === 0) return
  if (sure) {
    choose(state, open, from)
    for (const field of open) if (!values.has(field.name)) special(state, field, from)
  }
  const rest = open.filter(
    ({ name, is }) => !values.has(name) && (isOwn || !/^(?:room|other|title|body|query|reason|by)$/.test(is)),
  )
  const isTaken = (offer: Offer, field: Field): boolean => {
    const text = /^(?:name|word|phrase|object)$/.test(offer.kind) ? offer.text.toLowerCase() : undefined
    return used.some(
      ({ from: where, at, end, part }) =>
        (text !== undefined && part.length > 1 && part.toLowerCase() === text) ||
        (offer.at >= 0 &&
          where === from &&
          at < offer.end &&
          offer.at < end &&
          (part === '' || part === partOf(field, offer)) &&
          (part === 'currency') === (offer.kind === 'currency')),
    )
  }
  const take: Assigning['take'] = (field, { value, offer }) => {
    put(state, field, value)
    const [at, end] = /^(?:clause|object)$/.test(offer.kind) ? [-1, -1] : [offer.at, offer.end]
    used.push({ from, at, end, part: partOf(field, offer) })
  }
  const known = (facts.offered.get(from) ?? new Map()) as Assigning['known']
  facts.offered.set(from, known)
  assign(rest, { from, facts, sure, siblings: fields, known, fits, isTaken, take })
}

/** A date and a time may be of one moment, and so may a beginning and an end; a name has two parts. */
function partOf({ name, side, format, kind, hint }: Field, { kind: is }: Offer): string {
  if (is === 'currency') return is
  if (is === 'slug' || is === 'swap') return name
  if (is === 'name') return /^(?:first|last)_name$/.test(kind) ? kind : ''
  if (is !== 'moment') return ''
  if (format === 'time' || (format === '' && (kind === 'time' || /\bhh:?mm(?!.*yyyy)/.test(hint))))
    return side === 'end' ? 'end time' : 'time'
  return side === 'end' ? 'end' : 'day'
}

/** Flags, lists and objects. */
function special(state: State, field: Field, from: Reading): void {
  const { shape } = field
  if (shape === undefined || shape.values !== undefined) return
  const isOwn = from === state.filling.facts.own
  const find = (): JsonValue | undefined => {
    if (shape.types.includes(TYPE.boolean)) return isOwn ? flagIn(field.words, from) : undefined
    if (shape.array !== undefined)
      return itemsFor(field, from, state) ?? objectsIn(field, from, state.filling, valuesFromPrompt)
    const objects = shape.object !== undefined && isOwn ? from.of('json') : []
    return objects.map(({ value }) => value as JsonValue).find((one) => state.fits(field, one))
  }
  const value = find()
  if (value !== undefined && state.fits(field, value)) put(state, field, value)
}

const sides: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:to|target|destination|into)$/, /\b(?:to|into|in|many) ([^,.]*?)(?= (?:is|are|do|in)\b|[,.?]|$)/i],
  [/^(?:from|source|origin)$/, /\b(?:from|of|is|are) ([^,?!]*?)(?: (?:to|into)\b|[,?!]|$)/i],
]

/** The listed values that a text mentions. Fields with the same list share what it mentions. */
function choose(state: State, open: readonly Field[], from: Reading): void {
  const { facts, used } = state.filling
  for (const field of open) {
    const values = field.shape?.values
    if (values === undefined || values.length < 2) continue
    const special =
      operatorAmong(values, from.calculations(facts.results.lastNumber)[0]?.operator) ??
      methodAmong(values, from)
    const sharing = open.filter((other) => other.shape?.values?.join() === values.join()).length > 1
    const side = sharing ? sides.find(([sign]) => field.words.some((word) => sign.test(word))) : undefined
    const part = side?.[1].exec(from.text)?.[1]
    const mentioned = [
      ...(part === undefined ? [] : mentionedIn(values, new Reading(part, from.now))),
      ...(special === undefined ? mentionedIn(values, from) : [special]),
    ].filter((one) => !(sharing && used.some(({ part }) => part === String(one))) && state.fits(field, one))
    // "Squash and merge" says how to merge.
    const value = mentioned.find((one) => !facts.toolStems.has(stemOf(String(one)))) ?? mentioned[0]
    if (value !== undefined) put(state, field, value)
  }
}

/** A list that a text gives: all things of a kind, quotations, or an enumeration in words. */
function itemsFor(field: Field, from: Reading, { filling, fits }: State): JsonValue[] | undefined {
  const array = field.shape?.array
  if (array === undefined || array.prefix.length > 0) return undefined
  const json = from.of('json').find(({ value }) => Array.isArray(value) && fits(field, value as JsonValue))
  if (json !== undefined) return json.value as JsonValue[]
  const naming = { words: field.words, kind: field.kind === '' ? undefined : field.kind }
  field.item ??= fieldOf({ name: field.name, node: array.rest, required: true, naming })
  const { item } = field
  const fitting = (values: readonly JsonValue[]): JsonValue[] =>
    [...new Set(values)].filter((value) => fitsNode(array.rest, value, filling)).slice(0, array.maxItems)
  const some = (values: JsonValue[], least = 1): JsonValue[] | undefined =>
    values.length < least ? undefined : values
  const { shape } = item
  if (shape?.values !== undefined) return some(fitting(mentionedIn(shape.values, from)))
  if (shape?.number !== undefined)
    return some(
      from
        .of('number', 'money')
        .flatMap(({ number }) => number ?? [])
        .filter((value) => fitsNode(array.rest, value, filling)),
      2,
    )
  if (shape?.string === undefined) return undefined
  const isTyped = /^(?:email|url|path|place|person|id|moment|currency|capitals|symbol)$/.test(item.is)
  const emails = item.is === 'person' ? fitting(from.of('email').map(({ text }) => text)) : []
  const listed = fitting(enumerated(field, from))
  const last = String(field.words.at(-1))
  const isNamed = from.lower.includes(last) && new RegExp(`\\b${last}`, 'i').test(from.text)
  return (
    some(emails) ??
    (isTyped ? some(fitting(valuesOf(item, from, filling.facts))) : undefined) ??
    some(listed, isNamed ? 1 : 2)
  )
}

const separator = /,? (?:and|or|plus) |, ?| & /

/** "With the labels bug and ui", "add milk, eggs and bread to the list". */
function enumerated({ words, required }: Field, from: Reading): readonly string[] {
  const noun = (words.at(-1) ?? '').replace(/\W/g, '')
  const label = String.raw`\b${noun}(?:e?s)?:? (?:it |as |named |called |are |is |of )?([^.!?;:\n]{1,200})`
  const named = from.lower.includes(noun) ? new RegExp(label, 'i').exec(from.text) : undefined
  const own = named?.[1]?.split(/(?:^| )(?:to|in|on|with|for|from|as|by|due|at) /)[0]
  const quotes = from.of('quote').map(({ text }) => text)
  if (!own && quotes.length > 1) return quotes
  const first = /^\s*(?:please )?\p{L}+ (.+?)(?: (?:to|on|in|from|into|for) (?:my|the|our)\b|[.!?]|$)/iu
  const behind =
    /: ([^.!?\n]{3,300})/.exec(from.text)?.[1] ??
    from.phrases.find(({ prep, text }) => prep === 'with' && separator.test(text))?.text ??
    (required ? first.exec(from.text)?.[1] : '')
  const all = own || behind || ''
  const parts = own || separator.test(all) ? all.split(separator) : []
  const bare = (part: string): string => part.replace(/^["'“( ]|["'”.) ]+$/g, '')
  return parts.map((part) => bare(part).replace(/^(?:the|a|an|some|and) /i, ''))
}

// --- from what tools returned ---

/** An answer says what tools returned. */
function fromResults(state: State, field: Field): void {
  const { said, lastNumber } = state.filling.facts.results
  const texts = [said.replace(/\s*\n\s*/g, ', ').slice(0, 500), said.slice(0, field.shape?.string?.maxLength)]
  const value = (field.isNumber ? [lastNumber] : texts).find(
    (one) => one !== undefined && state.fits(field, one),
  )
  if (value !== undefined) put(state, field, value)
}

/** How far a key of a result may be from the name of a field; an optional one takes only what is sure. */
type Level = 'given' | 'exact' | 'near'
const idName = /(?:^|_)(?:id|key|number|ref|reference|sku|sha|path|url)s?$|[a-z]Ids?$/

/** What the objects of results have under a field's name: of the object that the prompt speaks of. */
function fromRecords(state: State, records: readonly Found[], level: Level): void {
  const { values, filling, fields, fits } = state
  const { lists, lastNumber } = filling.facts.results
  if (records.length === 0 && lists.length === 0 && lastNumber === undefined) return
  const said = new Set(filling.facts.own.heard.stems.keys())
  for (const field of fields) {
    if (values.has(field.name)) continue
    const isSure = level === 'given' || (level === 'exact' && idName.test(field.name))
    if (!field.required && filling.facts.sparing && !isSure) continue
    const isList = field.shape?.array !== undefined
    const found = isList ? allOf(field, records, state) : oneOf(field, records, state, level)
    const near = (): JsonValue | undefined =>
      lists.find((one) => overlap({ one }, said) > 0 && fits(field, one)) ??
      (field.shape?.number !== undefined && lastNumber !== undefined && fits(field, lastNumber)
        ? lastNumber
        : undefined)
    const value = found ?? (level === 'near' ? near() : undefined)
    if (value !== undefined) put(state, field, value)
  }
}

interface Match {
  readonly given: JsonValue
  readonly score: number
  readonly value: Found['value']
}

function oneOf(field: Field, records: readonly Found[], state: State, level: Level): JsonValue | undefined {
  const { own } = state.filling.facts
  const said = new Set(own.heard.stems.keys())
  const matches: Match[] = []
  for (const [order, { value, stems }] of records.entries())
    for (const [key, part] of Object.entries(value).slice(0, 100)) {
      const fit = part === null || part === undefined ? 0 : keyFit(key, field, stems, level)
      // An id may be a number here and a text there.
      const isNumeric = typeof part === 'string' && /^-?\d{1,15}$/.test(part)
      const forms = [part, typeof part === 'number' ? String(part) : isNumeric ? Number(part) : part]
      const given = fit > 0 ? (forms as JsonValue[]).find((one) => state.fits(field, one)) : undefined
      const score = fit * 100 + 10 * overlap(value, said) - order / 50
      if (given !== undefined) matches.push({ given, score, value })
    }
  return (bySuperlative(matches, own.text) ?? matches.sort((a, b) => b.score - a.score)[0])?.given
}

/** All ids that were found, for a field that takes several; or all texts of a list, for such a field. */
function allOf(field: Field, records: readonly Found[], state: State): JsonValue | undefined {
  const { results, own } = state.filling.facts
  if (!field.required && !/\b(?:all|them|these|those|it)\b/i.test(own.text)) return undefined
  const idsAt = (level: Level): readonly JsonValue[] =>
    records.flatMap(({ value, stems }) =>
      Object.entries(value).flatMap(([key, part]) =>
        part !== null && typeof part !== 'object' && keyFit(key, field, stems, level) > 0
          ? [part as JsonValue]
          : [],
      ),
    )
  // "track_ids" takes the ids of tracks, if there are such.
  const exact = idsAt('exact')
  const ids = !/ids?$/i.test(field.name) ? results.lists : exact.length > 0 ? exact : idsAt('near')
  const unique = [...new Set(ids)].slice(0, 100)
  return [unique, unique.map(String)].find((all) => all.length > 0 && state.fits(field, all))
}

const idWord = /^(?:id|key|uuid|number|sku|code|ref|reference)$/
const shared = /^(?:name|type|date|time|status|from|to|id)$/

/** How well a key of a result is what a field wants: 3 by its whole name, less by a part of it. */
function keyFit(key: string, field: Field, stems: readonly string[], level: Level): number {
  const words = stemsIn(key)
  const wanted = field.words.map(stemOf)
  if (words.join() === wanted.join()) return 3
  const last = wanted.at(-1) ?? ''
  const isId = idWord.test(last)
  const isOf = (entity: readonly string[]): boolean => entity.some((word) => stems.includes(word))
  if (isId && wanted.length > 1 && words.length === 1 && words[0] === last)
    if (level !== 'exact' || stems.length === 0 || isOf(wanted.slice(0, -1))) return 2
  if (level !== 'near') return 0
  if (words.at(-1) === last && !shared.test(last)) return 1
  if (words.length === 1 && wanted.includes(words[0] as string)) return 1
  if (isId && words.at(-1) === 'id') return wanted.length === 1 ? 1 : 0.5
  return /^lat$/.test(key) && field.kind === 'latitude'
    ? 1
    : /^(?:lng|lon|long)$/.test(key) && field.kind === 'longitude'
      ? 1
      : 0
}
const stemsIn = (name: string): readonly string[] =>
  name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .filter(Boolean)
    .map((word) => stemOf(word.toLowerCase()))

/** How many words of the prompt an object has in its texts. */
function overlap(value: Found['value'], said: ReadonlySet<string>): number {
  const texts = Object.values(value).filter((part) => typeof part === 'string' && part.length < 300)
  const words =
    texts
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  return Math.min(words.filter((word) => said.has(stemOf(word))).length, 8)
}

/** Words that pick one of several: in which direction, and by which field. */
const superlatives: readonly (readonly [RegExp, 1 | -1, RegExp])[] = [
  [/\b(?:cheapest|lowest|least expensive)\b/i, 1, /price|cost|fare|amount|total|rate/i],
  [/\b(?:most expensive|highest(?![- ]rated))\b/i, -1, /price|cost|fare|amount|total|rate/i],
  [/\b(?:best|top[- ]rated|highest[- ]rated)\b/i, -1, /rating|score|stars/i],
  [/\b(?:shortest|fastest|nearest|closest)\b/i, 1, /duration|length|minutes|distance|time/i],
  [/\b(?:earliest|oldest|soonest)\b/i, 1, /date|time|_at$|At$|start|created|depart/i],
  [/\b(?:latest|newest|most recent)\b/i, -1, /date|time|_at$|At$|start|created|depart/i],
  [/\b(?:largest|biggest|longest)\b/i, -1, /size|amount|count|distance|duration|minutes/i],
]
const places: readonly (readonly [RegExp, number])[] = [
  [/\b(?:the|your) second\b/i, 1],
  [/\b(?:the|your) third\b/i, 2],
  [/\bthe last (?:one|result|item)\b/i, -1],
  [/\bthe first\b/i, 0],
]

/** The one of several objects that "the cheapest" or "the second" means. */
function bySuperlative(matches: readonly Match[], text: string): Match | undefined {
  if (matches.length < 2) return undefined
  const place = places.find(([pattern]) => pattern.test(text))?.[1]
  if (place !== undefined) return matches.at(place)
  const [, sign = 1, about] = superlatives.find(([pattern]) => pattern.test(text)) ?? []
  if (about === undefined) return undefined
  const measured = matches.flatMap((one) => {
    const found = Object.entries(one.value).find(
      ([key, part]) => about.test(key) && (typeof part === 'number' || typeof part === 'string'),
    )
    const text = String(found?.[1]).replace(/[$€£,]/g, '')
    const measure = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.parseFloat(text)
    return Number.isNaN(measure) ? [] : [{ one, measure }]
  })
  return measured.length < 2 ? undefined : measured.sort((a, b) => sign * (a.measure - b.measure))[0]?.one
}

// --- what a schema asks for that is no object with named fields ---

/** The pairs that a text gives for an object without named properties: `name "urgent" and color: red`. */
export function pairsFromPrompt({ facts: { own } }: Filling): ReadonlyMap<string, JsonValue> {
  const [json] = own.of('json').filter(({ value }) => !Array.isArray(value))
  if (json !== undefined) return new Map(Object.entries(json.value as Record<string, JsonValue>))
  const bare = (text: string): JsonValue =>
    /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : /^(?:true|false)$/.test(text) ? text === 'true' : text
  const single =
    /\bset (?:the |its )?(\w+)(?: (?:of|for|on) [^,.]{1,60}?)? to ["']?([^\s,."']+)/i.exec(own.text) ??
    /\bwhere (?:the )?(\w+) (?:is|equals|=) ["']?([^\s,"']+)/i.exec(own.text)
  if (single !== null) return new Map([[single[1] as string, bare(single[2] as string)]])
  const pair = new RegExp(
    String.raw`\b([\p{L}_][\p{L}\p{N}_]{0,40})(?: ?[:=] ?| (?:is |to )?)(?:"([^"]{1,200})"|'([^']{1,` +
      String.raw`200})'|(?<=[:=] ?)([^\s,;]{1,100}))`,
    'gu',
  )
  return new Map([...own.text.matchAll(pair)].map(([, key = '', a, b, c = '']) => [key, a ?? b ?? bare(c)]))
}

const asking = new RegExp(
  String.raw`\b(?:list|give|name|suggest|write|generate|create|return|provide|recommend|make|pick|` +
    String.raw`find|show|need|want|with|me|top|exactly|just)\b`,
)

/** How many items the prompt asks for: by the array's name ("5 ideas" for `ideas`), or in general. */
export function lengthFromPrompt(
  { naming, within, depth }: FillSite,
  { facts: { own } }: Filling,
): { least: number; most: number } | undefined {
  const lists = within?.properties.filter(({ node }) => node.shapes.some(({ array }) => array !== undefined))
  const isOnly = depth <= 1 && (within === undefined ? depth === 0 : lists?.length === 1)
  const last = stemOf(naming.words.at(-1) ?? '')
  for (const { number = 0, at, end, unit = '' } of own.of('number')) {
    const isMeasure = /^(?:%|year|month|week|day|hour)s?$/.test(unit)
    if (!Number.isInteger(number) || number < 1 || number > 50 || isMeasure) continue
    const behind =
      own.text
        .slice(end, end + 60)
        .toLowerCase()
        .match(/^(?:[ -]\p{L}+){1,3}/u)?.[0] ?? ''
    const before = own.before(at, 4).join(' ')
    if (
      !(isOnly && asking.test(before)) &&
      !behind.split(/[ -]/).some((word) => word !== '' && stemOf(word) === last)
    )
      continue
    const range = /(\d+)(?:-| to | or )$/.exec(own.text.slice(0, at))?.[1]
    const least = /\b(?:most|maximum)|^to up/.test(before) ? Math.min(2, number) : Number(range ?? number)
    return { least, most: number }
  }
  return undefined
}

/** The text for a schema that is one text: what is quoted, or what matches its pattern. */
export function textFromPrompt(
  { patterns }: StringShape,
  { facts: { own } }: Filling,
  fits: (text: string) => boolean,
): string | undefined {
  const word = /[\p{L}\p{N}][\p{L}\p{N}._@#:/+-]{0,80}(?<![.:,/-])/gu
  const words = patterns === undefined ? [] : (own.text.match(word) ?? [])
  const coded = words.filter((word) => /[\d#@_/:-]|^[A-Z]{2,}$/.test(word))
  return [...own.of('quote').map(({ text }) => text), ...coded].find(fits)
}

const bounded = /\b(?:(under|below|less than|at most|up to|maximum)|(over|above|more than|at least|minimum))$/

/** The bounds that a prompt sets for amounts of money: "hotels under $80". */
export function boundsFromPrompt(
  { kind }: Naming,
  { facts: { own } }: Filling,
): { low: number; high: number } {
  const bounds = { low: -Infinity, high: Infinity }
  for (const { at, number = 0 } of /^(?:money|amount)$/.test(kind ?? '') ? own.of('money') : []) {
    const found = bounded.exec(own.text.slice(0, at).trimEnd().toLowerCase())
    if (found?.[1] !== undefined) bounds.high = number - 0.01
    else if (found?.[2] !== undefined) bounds.low = number
  }
  return bounds
}
