/** What tools returned for the fields of an object: of the result that the prompt speaks of. */
import { asText } from '../../../protocol/wording.ts'
import type { PromptFacts } from '../../prompt/facts.ts'
import { stemOf } from '../../prompt/words.ts'
import type { Filling } from '../filling.ts'
import { cloneJson, type JsonValue } from '../json-value.ts'
import type { Field } from './fields.ts'

export interface State {
  readonly fields: readonly Field[]
  readonly values: Map<string, JsonValue>
  readonly filling: Filling
  fits(field: Field, value: JsonValue): boolean
}

export function put({ values, filling }: State, field: Field, value: JsonValue): void {
  values.set(field.name, cloneJson(value))
  filling.used.push({ from: undefined, at: -1, end: -1, part: asText(value) })
}

/** An answer says what tools returned. */
export function fromResults(state: State, field: Field): void {
  const { said, lastNumber } = state.filling.facts
  for (const value of field.isNumber
    ? [lastNumber]
    : [said.replace(/\s*\n\s*/g, ', ').slice(0, 500), said.slice(0, field.shape?.string?.maxLength)])
    if (value !== undefined && state.fits(field, value)) return put(state, field, value)
}

type Level = 'given' | 'exact' | 'near'

/** What the objects of results have under a field's name: of the object that the prompt speaks of. */
export function fromRecords(state: State, records: PromptFacts['results'], level: Level): void {
  const { fields, values, filling } = state
  const { facts } = filling
  if (records.length === 0 && facts.lists.length === 0 && facts.lastNumber === undefined) return
  for (const field of fields) {
    if (values.has(field.name)) continue
    const isId = /(?:^|_)(?:id|key|number|ref|reference|sku|sha)$|[a-z]Id$/.test(field.name)
    if (!field.required && facts.sparing && level !== 'given' && !(isId && level === 'exact')) continue
    const matches = records.flatMap(({ value, stems }, order) =>
      Object.entries(value)
        .slice(0, 100)
        .flatMap(([key, part]) => {
          const fit = part === null || part === undefined ? 0 : keyFit(key, field, stems, level)
          const given = fit > 0 ? fitting(part as JsonValue, field, state) : undefined
          return given === undefined
            ? []
            : [{ given, score: fit * 100 + 10 * overlap(value, facts) - order / 50, value }]
        }),
    )
    const best = bySuperlative(matches, facts.own.text) ?? matches.sort((a, b) => b.score - a.score)[0]
    if (best !== undefined) {
      put(state, field, best.given)
      continue
    }
    if (level !== 'near') continue
    const text = facts.lists
      .map((one) => ({ one, score: overlap({ one }, facts) }))
      .sort((a, b) => b.score - a.score)[0]
    if (text !== undefined && text.score > 0 && state.fits(field, text.one)) put(state, field, text.one)
    else if (
      facts.lastNumber !== undefined &&
      field.shape?.number !== undefined &&
      state.fits(field, facts.lastNumber)
    )
      put(state, field, facts.lastNumber)
  }
}

/** A value of a result in the type of the field: an id may be a number here and a text there. */
function fitting(value: JsonValue, field: Field, { fits }: State): JsonValue | undefined {
  if (fits(field, value)) return value
  if (typeof value === 'number' && fits(field, String(value))) return String(value)
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value) && fits(field, Number(value)))
    return Number(value)
  return undefined
}

function keyFit(key: string, field: Field, stems: readonly string[], level: Level): number {
  const words = stemsIn(key)
  const wanted = field.words.map(stemOf)
  if (words.join() === wanted.join()) return 3
  const last = wanted.at(-1)
  const isId = /^(?:id|key|uuid|number|sku|code|ref|reference)$/.test(last ?? '')
  if (
    isId &&
    wanted.length > 1 &&
    words.length === 1 &&
    words[0] === last &&
    (level !== 'exact' || wanted.slice(0, -1).some((word) => stems.includes(word)) || stems.length === 0)
  )
    return 2
  if (isId && wanted.length === 1 && words.at(-1) === last && words.length === 2)
    return stems.includes(words[0] ?? '') || level === 'near' ? 2 : 0
  if (level !== 'near') return 0
  if (
    words.length > 0 &&
    words.at(-1) === last &&
    !/^(?:name|type|date|time|status|from|to|id)$/.test(last ?? '')
  )
    return 1
  if (wanted.some((word) => words.includes(word)) && words.length === 1) return 1
  if (isId && words.at(-1) === 'id') return wanted.length === 1 ? 1 : 0.5
  return /^(?:email|url|path|phone|city|location|latitude|longitude)$/.test(field.kind) &&
    words.includes(field.kind)
    ? 1
    : 0
}
const stemsIn = (name: string): readonly string[] =>
  name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .filter(Boolean)
    .map((word) => stemOf(word.toLowerCase()))

/** How many words of the prompt an object has in its texts. */
function overlap(value: Readonly<Record<string, unknown>>, { own }: PromptFacts): number {
  const said = new Set((own.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stemOf))
  let count = 0
  for (const part of Object.values(value))
    if (typeof part === 'string' && part.length < 300)
      for (const word of part.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
        if (said.has(stemOf(word))) count++
  return Math.min(count, 8)
}

const least =
  /\b(?:cheapest|lowest|least|shortest|earliest|oldest|smallest|nearest|closest|fastest|soonest)\b/i
const most = new RegExp(
  String.raw`\b(?:most expensive|highest|largest|biggest|longest|latest|newest|most recent|best|top[- ` +
    String.raw`]rated|highest[- ]rated)\b`,
  'i',
)
const places: readonly (readonly [RegExp, number])[] = [
  [/\b(?:the|your) second\b/i, 1],
  [/\b(?:the|your) third\b/i, 2],
  [/\bthe last (?:one|result|item)\b/i, -1],
  [/\bthe first\b/i, 0],
]

/** The one of several objects that "the cheapest" or "the second" means. */
function bySuperlative<One extends { value: Readonly<Record<string, unknown>> }>(
  matches: readonly One[],
  text: string,
): One | undefined {
  if (matches.length < 2) return undefined
  const place = places.find(([pattern]) => pattern.test(text))?.[1]
  if (place !== undefined) return matches.at(place)
  const sign = least.test(text) ? 1 : most.test(text) ? -1 : 0
  if (sign === 0) return undefined
  const about = /cheap|expens|lowest|highest/i.test(text)
    ? /price|cost|fare|amount|total|rate/i
    : /rated|best/i.test(text)
      ? /rating|score|stars/i
      : /short|long|fast/i.test(text)
        ? /duration|length|minutes|distance|time/i
        : /late|new|recent|earl|old|soon/i.test(text)
          ? /date|time|_at$|At$|start|created|depart/i
          : /size|amount|count|distance/i
  const measured = matches.flatMap((one) => {
    const found = Object.entries(one.value).find(
      ([key, part]) => about.test(key) && (typeof part === 'number' || typeof part === 'string'),
    )?.[1]
    const measure =
      typeof found === 'number'
        ? found
        : typeof found === 'string'
          ? Number.parseFloat(found.replace(/[$€£,]/g, '')) || Date.parse(found)
          : Number.NaN
    return Number.isNaN(measure) ? [] : [{ one, measure }]
  })
  return measured.length < 2 ? undefined : measured.sort((a, b) => sign * (a.measure - b.measure))[0]?.one
}
