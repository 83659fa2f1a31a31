/** The values that a prompt and the results of tools give for an object, joined from all extractors. */
import type { Results } from '../../prompt/facts.ts'
import { Reading } from '../../prompt/reading.ts'
import { stemOf } from '../../prompt/words.ts'
import type { ObjectShape, SchemaNode, StringShape, ValueShape } from '../clause.ts'
import { conforms } from '../conforms.ts'
import type { Filling, FillSite } from '../filling.ts'
import { isModestJson, type JsonValue, TYPE } from '../json-value.ts'
import { kindOf, type Naming } from '../property-naming.ts'
import { assign, type Taken, valuesOf } from './assign.ts'
import { flagIn, mentionedIn, methodAmong, operatorAmong } from './choices.ts'
import { type Field, fieldOf, fieldsOf } from './fields.ts'
import type { Offer } from './offers.ts'
import { fromRecords, fromResults, put, type State } from './records.ts'

/** What the facts give for the properties of an object, by their names. */
export function valuesFromPrompt(object: ObjectShape, filling: Filling): ReadonlyMap<string, JsonValue> {
  const { facts } = filling
  const fields = fieldsOf(object)
  const values = new Map<string, JsonValue>()
  const state: State = {
    fields,
    values,
    filling,
    known: new Map(),
    fits: (field, value) => fitsNode(field.node, value, filling),
  }
  fromRecords(state, facts.records, facts.sparing ? 'given' : 'exact')
  if (!facts.sparing) fromRecords(state, facts.results.records, 'exact')
  if (facts.results.said !== '')
    for (const field of fields)
      if (!values.has(field.name) && field.is === 'body' && /^(?:answer|summary)$/.test(field.kind))
        fromResults(state, field)
  fromReading(state, facts.own, true)
  // "Translate this and send it to Bob" sends what came back.
  if (
    facts.sparing &&
    /\b(?:it|them|this|that|the (?:result|translation|summary|answer))\b/i.test(facts.own.text)
  )
    for (const field of fields) {
      const isText = /^(?:text|body|message|content)$/.test(field.words.at(-1) ?? '')
      const text = field.is === 'body' && isText && field.required ? textIn(facts.results) : undefined
      if (text !== undefined && !values.has(field.name) && state.fits(field, text)) put(state, field, text)
    }
  fromRecords(state, facts.results.records, 'exact')
  fromReading(state, facts.own, false)
  fromRecords(state, facts.results.records, 'near')
  for (const reading of facts.others)
    if (fields.some((field) => isOpen(state, field))) fromReading(state, reading, true)
  for (const field of fields)
    if (
      !values.has(field.name) &&
      field.nullable &&
      facts.sparing &&
      field.required &&
      state.fits(field, null)
    )
      values.set(field.name, null)
  return values
}

/** The text that the latest result has, or is. */
const textIn = ({ records: [latest], texts }: Results): string | undefined =>
  latest === undefined
    ? texts[0]?.trim()
    : Object.entries(latest.value).flatMap(([key, value]) =>
        typeof value === 'string' && /text|translation|summary|content|body|result|answer|output/i.test(key)
          ? [value]
          : [],
      )[0]

const isOpen = ({ values }: State, field: Field): boolean => field.required && !values.has(field.name)

function fitsShape(shape: ValueShape, value: JsonValue, { work }: Filling): boolean {
  return (
    shape.clauses.every((clause) => conforms(clause, value, work, true)) &&
    !shape.excluded.some((branch) => conforms(branch, value, work))
  )
}

export const fitsNode = (node: SchemaNode, value: JsonValue, filling: Filling): boolean =>
  isModestJson(value) && node.shapes.some((shape) => fitsShape(shape, value, filling))

/** What a text gives; `sure` leaves out what is only likely. */
function fromReading(state: State, from: Reading, sure: boolean): void {
  const { fields, filling, values } = state
  const { facts, used } = filling
  const isOwn = from === facts.own
  const open = fields.filter((field) => !values.has(field.name) && (isOwn || field.required))
  if (open.length === 0) return
  if (sure) {
    choose(state, open, from)
    for (const field of open) if (!values.has(field.name)) special(state, field, from)
  }
  const rest = open.filter(
    (field) =>
      !values.has(field.name) && (isOwn || !/^(?:room|other|title|body|query|reason|by)$/.test(field.is)),
  )
  const isTaken = (offer: Offer, field: Field): boolean =>
    used.some(
      ({ from: where, at, end, part }) =>
        (/^(?:name|word|phrase|object)$/.test(offer.kind) &&
          part.length > 1 &&
          part.toLowerCase() === offer.text.toLowerCase()) ||
        (offer.at >= 0 &&
          where === from &&
          at < offer.end &&
          offer.at < end &&
          (part === '' || part === partOf(field, offer)) &&
          (part === 'currency') === (offer.kind === 'currency')),
    )
  const take = (field: Field, { value, offer }: Taken): void => {
    put(state, field, value)
    const isProse = /^(?:clause|object)$/.test(offer.kind)
    used.push({
      from,
      at: isProse ? -1 : offer.at,
      end: isProse ? -1 : offer.end,
      part: partOf(field, offer),
    })
  }
  const known = state.known.get(from) ?? new Map()
  state.known.set(from, known)
  assign(rest, { from, facts, sure, siblings: fields, known, fits: state.fits, isTaken, take })
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
  let value: JsonValue | undefined
  if (shape.types.includes(TYPE.boolean)) value = isOwn ? flagIn(field.words, from) : undefined
  else if (shape.array !== undefined) value = itemsFor(field, from, state)
  else if (shape.object !== undefined && isOwn)
    value = from
      .of('json')
      .map((thing) => thing.value as JsonValue)
      .find((one) => state.fits(field, one))
  if (value !== undefined && state.fits(field, value)) put(state, field, value)
}

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
    const mentioned = special === undefined ? mentionedIn(values, from) : [special]
    const isTarget = sharing && field.words.some((word) => /^(?:to|target|destination|into)$/.test(word))
    const isSource = sharing && field.words.some((word) => /^(?:from|source|origin)$/.test(word))
    const behind = isTarget
      ? /\b(?:to|into|in|many) ([^,.]*?)(?= (?:is|are|do|in)\b|[,.?]|$)/i
      : isSource
        ? /\b(?:from|of|is|are) ([^,?!]*?)(?: (?:to|into)\b|[,?!]|$)/i
        : undefined
    const part = behind?.exec(from.text)?.[1]
    const own = part === undefined ? [] : mentionedIn(values, new Reading(part, from.now))
    const fitting = [...own, ...mentioned].filter(
      (one) => (!sharing || !used.some(({ part }) => part === String(one))) && state.fits(field, one),
    )
    // "Squash and merge" says how to merge.
    const value = fitting.find((one) => !facts.toolStems.has(stemOf(String(one)))) ?? fitting[0]
    if (value !== undefined) put(state, field, value)
  }
}

/** A list that a text gives: all things of a kind, quotations, or an enumeration in words. */
function itemsFor(field: Field, from: Reading, state: State): JsonValue[] | undefined {
  const { filling } = state
  const array = field.shape?.array
  if (array === undefined || array.prefix.length > 0) return undefined
  for (const { value } of from.of('json'))
    if (Array.isArray(value) && state.fits(field, value as JsonValue)) return value as JsonValue[]
  const item = fieldOf({
    name: field.name,
    node: array.rest,
    required: true,
    naming: { words: field.words, kind: field.kind === '' ? undefined : field.kind },
  })
  const fitting = (values: readonly JsonValue[]): JsonValue[] =>
    [...new Set(values)].filter((value) => fitsNode(array.rest, value, filling)).slice(0, array.maxItems)
  const { shape } = item
  if (shape?.values !== undefined) {
    const mentioned = fitting(mentionedIn(shape.values, from))
    return mentioned.length > 0 ? mentioned : undefined
  }
  if (shape?.number !== undefined) {
    const numbers = from.of('number', 'money').flatMap(({ number }) => number ?? [])
    const fit = numbers.filter((value) => fitsNode(array.rest, value, filling))
    return fit.length > 1 ? fit : undefined
  }
  if (shape?.string === undefined) return partsFor(field, from, state)
  const isTyped = /^(?:email|url|path|place|person|id|moment|currency|capitals|symbol)$/.test(item.is)
  const emails = item.is === 'person' ? fitting(from.of('email').map(({ text }) => text)) : []
  const typed = emails.length > 0 ? emails : isTyped ? fitting(valuesOf(item, from, filling.facts)) : []
  if (typed.length > 0) return typed
  const listed = fitting(enumerated(field, from, filling.facts.sparing))
  return listed.length > 1 ||
    (listed.length === 1 && new RegExp(`\\b${field.words.at(-1)}`, 'i').test(from.text))
    ? listed
    : undefined
}

const separator = /,? (?:and|or|plus) |, ?| & /

/** "With the labels bug and ui", "add milk, eggs and bread to the list". */
function enumerated(field: Field, from: Reading, sparing: boolean): readonly string[] {
  const noun = field.words.at(-1) ?? ''
  const behind = new RegExp(
    String.raw`\b${noun.replace(/\W/g, '')}(?:e?s)?:? (?:named |called |are |is |of )?([^.!?;:\n]{1,200})`,
    'i',
  ).exec(from.text)?.[1]
  const quotes = from.of('quote').map(({ text }) => text)
  const words =
    behind?.replace(/^(?:it|as) /i, '').split(/ (?:to|in|on|with|for|from|as|by|due|at) /)[0] ?? ''
  if (words !== '' && !/^(?:to|in|on|with|for|about|from)\b/.test(words))
    return words.split(separator).map(trimmed)
  if (quotes.length > 1) return quotes
  const colon = /: ([^.!?\n]{3,300})/.exec(from.text)?.[1]
  const company = from.phrases.find(({ prep, text }) => prep === 'with' && separator.test(text))?.text
  const object =
    colon ??
    company ??
    (sparing && field.required
      ? /^\s*(?:please )?\p{L}+ (.+?)(?: (?:to|on|in|from|into|for) (?:my|the|our)\b|[.!?]|$)/iu.exec(
          from.text,
        )?.[1]
      : undefined) ??
    ''
  return separator.test(object) ? object.split(separator).map(trimmed) : []
}
const trimmed = (text: string): string =>
  text
    .trim()
    .replace(/^["'“(]|["'”.)]+$/g, '')
    .replace(/^(?:the|a|an|some|and) /i, '')
    .trim()

/** What a text says of each item, where items are objects: "two pizzas and a cola". */
function partsFor(field: Field, from: Reading, { filling, fits }: State): JsonValue[] | undefined {
  const node = field.shape?.array?.rest
  const object = node?.shapes[0]?.object
  if (
    node === undefined ||
    object === undefined ||
    !field.required ||
    !object.properties.some(({ naming }) => naming.kind === 'count' || naming.kind === 'email')
  )
    return undefined
  const text = from.text
    .replace(
      /^\s*(?:please |i(?:['’]d| would) like |i want )?(?:order|buy|add|get|put|invite)?(?: me| us)? ?/i,
      '',
    )
    .split(/[.!?] | to (?=\d|my\b|the\b|our\b)/)[0]
    ?.replace(/(?:,? please)?[.!?]*$/i, '')
  const parts = (text ?? '').split(separator).filter((part) => part !== '')
  const values = parts.map((part): JsonValue => {
    const own = new Reading(/^(?:an?) /i.test(part) ? part.replace(/^an? /i, '1 ') : part, from.now)
    const inner = valuesFromPrompt(object, {
      ...filling,
      facts: filling.facts.of(own),
      used: [],
    })
    return Object.fromEntries(inner)
  })
  return values.length > 0 && values.every((value) => fitsNode(node, value, filling)) && fits(field, values)
    ? values
    : undefined
}

/** The pairs that a text gives for an object without named properties: `name "urgent" and color "red"`. */
export function pairsFromPrompt({ facts }: Filling): ReadonlyMap<string, JsonValue> {
  const [json] = facts.own.of('json').filter(({ value }) => !Array.isArray(value))
  if (json !== undefined) return new Map(Object.entries(json.value as Record<string, JsonValue>))
  const [, key, value] =
    /\bset (?:the |its )?(\w+)(?: (?:of|for|on) [^,.]{1,60}?)? to ["']?([^\s,."']+)/i.exec(facts.own.text) ??
    []
  if (key !== undefined) return new Map([[key, plainValue(value ?? '', true)]])
  const listed = (/[:{] ?([^:]{3,400})$/.exec(facts.own.text)?.[1] ?? '')
    .split(/, (?:and )?| and /)
    .map((part) => /^(\p{Ll}\w*) (?:is |= ?)?["']?([^"']+?)["'.]?$/u.exec(part))
  const where = /\bwhere (?:the )?(\w+) (?:is|equals|=) ["']?([^\s,"']+)/i.exec(facts.own.text)
  const found = where === null ? (listed.length > 1 ? listed : []) : [where]
  if (found.length > 0 && found.every((one) => one !== null))
    return new Map(found.map(([, name = '', said = '']) => [name, plainValue(said, true)]))
  const pairs = [
    ...facts.own.text.matchAll(
      new RegExp(
        String.raw`\b([\p{L}_][\p{L}\p{N}_]{0,40})(?: ?[:=] ?| (?:is |to |set to )?)(?:"([^"]{1,200})"|` +
          String.raw`'([^']{1,200})'|(?<=[:=] ?)([^\s,;]{1,100}))`,
        'gu',
      ),
    ),
  ]
  return new Map(
    pairs.map(([, key = '', a, b, c]) => [
      key,
      plainValue(a ?? b ?? c ?? '', a === undefined && b === undefined),
    ]),
  )
}
const plainValue = (text: string, bare: boolean): JsonValue =>
  bare && /^-?\d+(?:\.\d+)?$/.test(text)
    ? Number(text)
    : bare && /^(?:true|false)$/.test(text)
      ? text === 'true'
      : text

/** How many items the prompt asks for: by the array's name ("5 ideas" for `ideas`), or in general. */
export function lengthFromPrompt(
  { naming, within, depth }: FillSite,
  { facts }: Filling,
): { least: number; most: number } | undefined {
  const lists = (within?.properties ?? []).filter(({ node }) =>
    node.shapes.some(({ array }) => array !== undefined),
  )
  const isOnly = depth <= 1 && (within === undefined ? depth === 0 : lists.length === 1)
  const last = stemOf(naming.words.at(-1) ?? '')
  const things = facts.own.of('number')
  for (const [index, { number = 0, at, end, unit = '' }] of things.entries()) {
    if (
      !Number.isInteger(number) ||
      number < 1 ||
      number > 50 ||
      /^(?:%|year|month|week|day|hour|minute|dollar|euro)s?$/.test(unit)
    )
      continue
    const [noun = '', next = '', third = ''] =
      (
        facts.own.text
          .slice(end)
          .toLowerCase()
          .match(/^[ -]?[\p{L} -]*/u)?.[0] ?? ''
      ).match(/[\p{L}]+/gu) ?? []
    const isOwn = [noun, next, third]
      .slice(0, /^(?:and|or|with|each|in|on|to|for|by)$/.test(next) ? 1 : 3)
      .some(
        (word) =>
          word !== '' &&
          (stemOf(word) === last ||
            (naming.kind !== undefined &&
              naming.kind !== 'count' &&
              kindOf([word.replace(/s$/, '')]) === naming.kind)),
      )
    const before = facts.own.before(at, 4).join(' ')
    const isAsked =
      isOnly &&
      (asking.test(before) || general.test(noun) || (index === 0 && /^(?:exactly|just)\b/.test(before)))
    if (!isOwn && !isAsked) continue
    const from =
      /^(?:to|or|and)\b/.test(before) || /[-–]\s?$/.test(facts.own.text.slice(Math.max(0, at - 2), at))
        ? things[index - 1]?.number
        : undefined
    if (from !== undefined && from < number) return { least: from, most: number }
    return { least: /\b(?:most|maximum)|^to up/.test(before) ? Math.min(2, number) : number, most: number }
  }
  return undefined
}
const asking = new RegExp(
  String.raw`\b(?:list|give|name|suggest|write|generate|create|return|provide|propose|recommend|make|` +
    String.raw`produce|offer|pick|find|show|need|want|tell|output|with|me|top|exactly)\b`,
)
const general = /^(?:item|thing|entr|element|result|option|idea|example|suggestion|record|row|bullet|point)/

/** The text for a schema that is one text: what is quoted, or what matches its pattern. */
export function textFromPrompt(
  { patterns }: StringShape,
  { facts: { own } }: Filling,
  fits: (text: string) => boolean,
): string | undefined {
  const words =
    patterns === undefined
      ? []
      : (own.text.match(/[\p{L}\p{N}][\p{L}\p{N}._@#:/+-]{0,80}(?<![.:,/-])/gu) ?? [])
  return [
    ...own.of('quote').map(({ text }) => text),
    ...words.filter((word) => /[\d#@_/:-]|^[A-Z]{2,}$/.test(word)),
  ].find(fits)
}

const bounded = /\b(?:(under|below|less than|at most|up to|maximum)|(over|above|more than|at least|minimum))$/

/** The bounds that a prompt sets for amounts of money: "hotels under $80". */
export function boundsFromPrompt(
  { kind }: Naming,
  { facts: { own } }: Filling,
): { low: number; high: number } {
  const bounds = { low: -Infinity, high: Infinity }
  if (kind !== 'money' && kind !== 'amount') return bounds
  for (const { at, number = 0 } of own.of('money')) {
    const found = bounded.exec(own.text.slice(0, at).trimEnd().toLowerCase())
    if (found?.[1] !== undefined) bounds.high = number - 0.01
    else if (found?.[2] !== undefined) bounds.low = number
  }
  return bounds
}
