/** Suggests values for the places of a schema from the tokens of a text, and from the results of tools. */
import { isFields, jsonIn } from '../../engine/fields.ts'
import type { Candidate, Suggest } from '../json-schema/fill.ts'
import type { JsonValue } from '../json-schema/json-value.ts'
import type { Place } from '../json-schema/merge-schema.ts'
import { wordsIn } from '../words.ts'
import { type Form, isoTextOf, type Reading, type Token } from './tokens-in.ts'

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** The words of a place's name or title that call for a form. */
const callsFor: Readonly<Record<Form, ReadonlySet<string>>> = {
  url: wordSet('url uri link website page href'),
  email: wordSet('email mail recipient to cc attendee'),
  date: wordSet('date day deadline birthday since until start end due when from to'),
  time: wordSet('time at when start end hour'),
  path: wordSet('path file folder directory filename'),
  number: wordSet('id number zip code phone port version amount'),
  code: wordSet('id code currency symbol ticker key number from to sku reference'),
  name: wordSet('name city location place person country origin destination from to who language company'),
  quote: wordSet('text message title query content body subject note name'),
  phrase: wordSet(
    'text message title query content body subject note task description topic question prompt',
  ),
}
const formsCalled = new Set(Object.values(callsFor).flatMap((words) => [...words]))
/** An id is a code, and no name. */
const idWords = wordSet('id number key code')
/** The forms that a place takes if its name calls for none, best first. */
const usualForms = 'quote name code path url email date time phrase'.split(' ')
const formOfFormat: Readonly<Record<string, Form>> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  date: 'date',
  'date-time': 'date',
  time: 'time',
}

/** A text whose tokens fill places, and the results of tools. */
export interface Source {
  readonly reading: Reading
  /** The stems that chose a tool: what is left of the text without them is a token too. */
  readonly stems?: ReadonlySet<string> | undefined
  readonly results?: Results | undefined
  /** Whether a result that is one value comes before the tokens of the text. */
  readonly resultsFirst?: boolean
  /** The year of dates without one. */
  readonly year: number
}

/** The suggestions of a source. */
export function suggestionsFrom({ reading, stems, results, resultsFirst, year }: Source): Suggest {
  const tokens = stems === undefined ? reading.tokens : reading.tokensAfter(stems)
  const singles = resultsFirst === true ? (results?.singles ?? []) : []
  return (place, used) => {
    const named = valuesNamed(place, reading)
    const open = tokens.filter((token) => !used.has(token))
    const suitable = named === undefined ? tokensFor(place, reading, itemsAmong(open, place, used)) : []
    const fromText = suitable.flatMap((token) =>
      valuesOf(token, place, year).map((value) => ({ value, token })),
    )
    const known = named ?? [...(results?.fieldsFor(place) ?? []), ...singles, ...fromText]
    return known.filter(({ token }) => !used.has(token))
  }
}

/** The values of an `enum` that a text names; undefined without an `enum`. A value is its own token. */
function valuesNamed({ node }: Place, { stems }: Reading): readonly Candidate[] | undefined {
  return node.description.values
    ?.filter(({ words }) => words.stems.size > 0 && [...words.stems].every((stem) => stems.has(stem)))
    .map(({ value, words }) => ({ value, token: words }))
}

/** The items of a list are alike, and no sentence is one of them. */
function itemsAmong(tokens: readonly Token[], { index }: Place, used: ReadonlySet<object>): readonly Token[] {
  if (index === undefined) return tokens
  const last = index === 0 ? undefined : [...used].at(-1)
  const form = last !== undefined && 'form' in last ? last.form : undefined
  return tokens.filter((token) => token.form !== 'phrase' && (form === undefined || token.form === form))
}

/** The tokens that suit a place, best first. */
export function tokensFor(place: Place, reading: Reading, tokens: readonly Token[]): readonly Token[] {
  return tokens
    .map((token) => ({ token, score: scoreOf(place, token, reading) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.token.at - b.token.at)
    .map(({ token }) => token)
}

/** How well a token suits a place; 0 if not at all. */
function scoreOf(place: Place, token: Token, reading: Reading): number {
  const { name, node, required } = place
  const { types, title, format } = node.description
  const { form } = token
  if (form === 'number' && (types.has('number') || types.has('integer')))
    return 1 + nearness(place, token, reading)
  if (!types.has('string')) return 0
  const wanted = format === undefined ? undefined : formOfFormat[format]
  if (wanted !== undefined) return wanted === form ? 2 + nearness(place, token, reading) : 0
  const near = nearness(place, token, reading)
  const words = [...name.words, ...title.words]
  if (words.some((word) => callsFor[form].has(word))) return 3 + near
  // An optional place gets only what its name, its format or the words around call for.
  if (!required && near === 0) return 0
  const isId = words.some((word) => idWords.has(word))
  if (isId && form === 'name') return 0
  // A part of a sentence is no city and no address; one word may be.
  if (form === 'phrase' && token.text.includes(' ') && words.some((word) => formsCalled.has(word))) return 0
  const usual = usualForms.indexOf(form)
  return usual < 0 ? 0 : 1 - usual / 20 + near
}

/** Whether the words before or behind a token name the place. */
function nearness({ name, node }: Place, token: Token, reading: Reading): number {
  const around = reading.around(token)
  if (around.some((stem) => name.stems.has(stem))) return 2
  const { subjects } = node.description.description
  return around.some((stem) => subjects.has(stem)) ? 0.5 : 0
}

function valuesOf(token: Token, { node }: Place, year: number): readonly JsonValue[] {
  const { form, text } = token
  const { types, format } = node.description
  if (form === 'number') {
    const number = Number(text.replaceAll(',', ''))
    return types.has('string') ? [text, number] : [number]
  }
  if (form !== 'date' && form !== 'time') return [text]
  const iso = isoTextOf(token, year)
  return form === 'date' && format === 'date-time' && iso.length === 10 ? [`${iso}T00:00:00Z`] : [iso, text]
}

interface Field {
  readonly name: string
  readonly candidate: Candidate
}

/** The results of tools, read when they are first asked for. */
export class Results {
  readonly texts: readonly string[]
  #fields: readonly Field[] | undefined

  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  /** The results that are one number or word. */
  get singles(): readonly Candidate[] {
    return this.texts.flatMap((result) => {
      const text = result.trim().replace(/^"(.*)"$/s, '$1')
      if (text === '' || text.length > 200 || /^[[{]/.test(text)) return []
      const values = Number.isNaN(Number(text)) ? [text] : [Number(text), text]
      const token = { text }
      return values.map((value) => ({ value, token }))
    })
  }

  /** The fields with the name of the place; `id` is that of any `…_id`. */
  fieldsFor({ name }: Place): readonly Candidate[] {
    this.#fields ??= this.texts.flatMap((text) => fieldsIn(jsonIn(text.slice(0, 20_000))))
    if (this.#fields.length === 0) return []
    const wanted = wordsIn(name.text).join(' ')
    return this.#fields
      .filter((field) => field.name === wanted || (field.name === 'id' && wanted.endsWith(' id')))
      .map(({ candidate }) => candidate)
  }
}

/** The scalar fields of a result, with the words of their names. */
function fieldsIn(result: unknown): readonly Field[] {
  const found: Field[] = []
  const collect = (value: unknown, depth: number): void => {
    if (depth > 4 || found.length > 100) return
    if (Array.isArray(value)) for (const item of value) collect(item, depth + 1)
    if (!isFields(value)) return
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'string' || typeof field === 'number')
        found.push({ name: wordsIn(name).join(' '), candidate: { value: field, token: { name } } })
      else collect(field, depth + 1)
    }
  }
  collect(result, 0)
  return found
}
