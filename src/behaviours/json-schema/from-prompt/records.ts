/** What tools returned for the fields of an object: of the result that the prompt speaks of. */
import { asText } from '../../../protocol/wording.ts'
import type { Found } from '../../prompt/facts.ts'
import type { Reading } from '../../prompt/reading.ts'
import { stemOf } from '../../prompt/words.ts'
import type { Filling } from '../filling.ts'
import { cloneJson, type JsonValue } from '../json-value.ts'
import type { Assigning } from './assign.ts'
import type { Field } from './fields.ts'

export interface State {
  readonly fields: readonly Field[]
  readonly values: Map<string, JsonValue>
  readonly filling: Filling
  /** What each text offers to each field. */
  readonly known: Map<Reading, Assigning['known']>
  fits(field: Field, value: JsonValue): boolean
}

export function put({ values, filling }: State, field: Field, value: JsonValue): void {
  values.set(field.name, cloneJson(value))
  filling.used.push({ from: undefined, at: -1, end: -1, part: asText(value) })
}

/** An answer says what tools returned. */
export function fromResults(state: State, field: Field): void {
  const { said, lastNumber } = state.filling.facts.results
  const texts = [said.replace(/\s*\n\s*/g, ', ').slice(0, 500), said.slice(0, field.shape?.string?.maxLength)]
  const value = (field.isNumber ? [lastNumber] : texts).find(
    (one) => one !== undefined && state.fits(field, one),
  )
  if (value !== undefined) put(state, field, value)
}

type Level = 'given' | 'exact' | 'near'
const idName = /(?:^|_)(?:id|key|number|ref|reference|sku|sha|path|url)s?$|[a-z]Ids?$/

/** What the objects of results have under a field's name: of the object that the prompt speaks of. */
export function fromRecords(state: State, records: readonly Found[], level: Level): void {
  const { values, filling, fields, fits } = state
  const { lists, lastNumber } = filling.facts.results
  if (records.length === 0 && lists.length === 0 && lastNumber === undefined) return
  const said = new Set([...filling.facts.own.heard.stems.keys()])
  for (const field of fields) {
    if (values.has(field.name)) continue
    const isSure = level === 'given' || (level === 'exact' && idName.test(field.name))
    if (!field.required && filling.facts.sparing && !isSure) continue
    const found =
      field.shape?.array === undefined ? oneOf(field, records, state, level) : allOf(field, records, state)
    if (found !== undefined) {
      put(state, field, found)
      continue
    }
    if (level !== 'near') continue
    const text = lists
      .map((one) => ({ one, score: overlap({ one }, said) }))
      .filter(({ one, score }) => score > 0 && fits(field, one))
      .sort((a, b) => b.score - a.score)[0]?.one
    const number = field.shape?.number !== undefined && lastNumber !== undefined && fits(field, lastNumber)
    if (text !== undefined) put(state, field, text)
    else if (number) put(state, field, lastNumber)
  }
}

interface Match {
  readonly given: JsonValue
  readonly score: number
  readonly value: Found['value']
}

function oneOf(field: Field, records: readonly Found[], state: State, level: Level): JsonValue | undefined {
  const { facts } = state.filling
  const said = new Set(facts.own.heard.stems.keys())
  const matches = records.flatMap(({ value, stems }, order) =>
    Object.entries(value)
      .slice(0, 100)
      .flatMap(([key, part]): readonly Match[] => {
        const fit = part === null || part === undefined ? 0 : keyFit(key, field, stems, level)
        const given = fit > 0 ? fitting(part as JsonValue, field, state) : undefined
        return given === undefined
          ? []
          : [{ given, score: fit * 100 + 10 * overlap(value, said) - order / 50, value }]
      }),
  )
  return (bySuperlative(matches, facts.own.text) ?? matches.sort((a, b) => b.score - a.score)[0])?.given
}

/** All ids that were found, for a field that takes several; or all texts of a list, for such a field. */
function allOf(field: Field, records: readonly Found[], state: State): JsonValue | undefined {
  const { lists } = state.filling.facts.results
  if (!field.required && !/\b(?:all|them|these|those|it)\b/i.test(state.filling.facts.own.text))
    return undefined
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
  const ids = !/ids?$/i.test(field.name) ? lists : exact.length > 0 ? exact : idsAt('near')
  const unique = [...new Set(ids)].slice(0, 100)
  return [unique, unique.map(String)].find((all) => all.length > 0 && state.fits(field, all))
}

/** A value of a result in the type of the field: an id may be a number here and a text there. */
function fitting(value: JsonValue, field: Field, { fits }: State): JsonValue | undefined {
  const isNumeric = typeof value === 'string' && /^-?\d{1,15}$/.test(value)
  const forms = [value, typeof value === 'number' ? String(value) : isNumeric ? Number(value) : value]
  return forms.find((one) => fits(field, one))
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
  if (isId && wanted.length > 1 && words.length === 1 && words[0] === last) {
    const isOfIt = wanted.slice(0, -1).some((word) => stems.includes(word)) || stems.length === 0
    if (level !== 'exact' || isOfIt) return 2
  }
  if (isId && wanted.length === 1 && words.at(-1) === last && words.length === 2)
    return stems.includes(words[0] ?? '') || level === 'near' ? 2 : 0
  if (level !== 'near' || words.length === 0) return 0
  if (words.at(-1) === last && !shared.test(last)) return 1
  if (wanted.some((word) => words.includes(word)) && words.length === 1) return 1
  if (isId && words.at(-1) === 'id') return wanted.length === 1 ? 1 : 0.5
  return /^(?:email|url|path|phone|city|location|latitude|longitude)$/.test(field.kind) &&
    words.includes(field.kind)
    ? 1
    : /^(?:email|phone)$/.test(field.is) && words.includes(field.is)
      ? 1
      : (field.kind === 'latitude' && /^lat$/.test(key)) ||
          (field.kind === 'longitude' && /^(?:lng|lon|long)$/.test(key))
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
  let count = 0
  for (const part of Object.values(value))
    if (typeof part === 'string' && part.length < 300)
      for (const word of part.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
        if (said.has(stemOf(word))) count++
  return Math.min(count, 8)
}

/** Words that pick one of several: in which direction, and by which field. */
const superlatives: readonly (readonly [RegExp, 1 | -1, RegExp])[] = [
  [/\b(?:cheapest|lowest|least expensive)\b/i, 1, /price|cost|fare|amount|total|rate/i],
  [/\b(?:most expensive|highest(?![- ]rated))\b/i, -1, /price|cost|fare|amount|total|rate/i],
  [/\b(?:best|top[- ]rated|highest[- ]rated)\b/i, -1, /rating|score|stars/i],
  [/\b(?:shortest|fastest|nearest|closest)\b/i, 1, /duration|length|minutes|distance|time/i],
  [/\blongest\b/i, -1, /duration|length|minutes|distance|time/i],
  [/\b(?:earliest|oldest|soonest)\b/i, 1, /date|time|_at$|At$|start|created|depart/i],
  [/\b(?:latest|newest|most recent)\b/i, -1, /date|time|_at$|At$|start|created|depart/i],
  [/\bsmallest\b/i, 1, /size|amount|count|distance/i],
  [/\b(?:largest|biggest)\b/i, -1, /size|amount|count|distance/i],
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
    const part = Object.entries(one.value).find(
      ([key, found]) => about.test(key) && (typeof found === 'number' || typeof found === 'string'),
    )?.[1]
    const text = String(part).replace(/[$€£,]/g, '')
    const measure = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.parseFloat(text)
    return Number.isNaN(measure) ? [] : [{ one, measure }]
  })
  return measured.length < 2 ? undefined : measured.sort((a, b) => sign * (a.measure - b.measure))[0]?.one
}
