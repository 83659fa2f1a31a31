/** Suggests values for the places of a schema from the tokens of a text, and from the results of tools. */
import { jsonIn } from '../../engine/fields.ts'
import type { Candidate, Suggest } from '../json-schema/fill.ts'
import type { JsonValue } from '../json-schema/json-value.ts'
import type { Place } from '../json-schema/merge-schema.ts'
import { byName, Words } from '../words.ts'
import { type Form, isoTextOf, type Reading, type Token } from './tokens-in.ts'

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** The words of a place's name that call for a form. */
const callsFor: Readonly<Record<Form, ReadonlySet<string>>> = {
  url: wordSet('url uri link website page href'),
  email: wordSet('email mail recipient to cc attendee'),
  date: wordSet('date day deadline birthday since until start end due when from to'),
  path: wordSet('path file folder directory filename'),
  number: wordSet('id number zip code phone port version amount'),
  code: wordSet('id code currency symbol ticker key number from to sku reference'),
  name: wordSet('name city location place person country origin destination from to who language company'),
  quote: wordSet('text message title query content body subject note name'),
  phrase: wordSet('text message title query content body subject note task description topic question'),
}
const formsCalled = new Set(Object.values(callsFor).flatMap((words) => [...words]))
/** What has one of these forms is nothing else. */
const unmistakable: ReadonlySet<Form> = new Set(['url', 'email', 'date'])
/** The forms that a place takes if its name calls for none, best first. */
const usualForms = 'quote name code path url email date phrase'.split(' ')
const formOfFormat = byName<Form>([
  ['email', 'email'],
  ['uri url', 'url'],
  ['date date-time', 'date'],
])

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
  return (place, used) => {
    const fromResults = results?.valuesFor(place, resultsFirst === true) ?? []
    const fromText = (): readonly Candidate[] =>
      tokensFor(place, reading, tokens).flatMap((token) =>
        valuesOf(token, place, year).map((value) => ({ value, token })),
      )
    const known = valuesNamed(place, reading) ?? [...fromResults, ...fromText()]
    return known.filter(({ token }) => !used.has(token))
  }
}

/** The values of an `enum` that a text names, in its order; undefined without an `enum`. */
function valuesNamed({ node }: Place, reading: Reading): readonly Candidate[] | undefined {
  return node.description.values
    ?.flatMap(({ value, words }) => {
      const token = reading.mention(words)
      return token === undefined ? [] : [{ value, token }]
    })
    .sort((a, b) => a.token.at - b.token.at)
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
  const { types, format } = node.description
  const { form } = token
  // No sentence is an item of a list.
  if (form === 'phrase' && place.index !== undefined) return 0
  const near = nearness(place, token, reading)
  if (form === 'number' && (types.has('number') || types.has('integer'))) return 1 + near
  if (!types.has('string')) return 0
  const wanted = formOfFormat.get(format ?? '')
  if (wanted !== undefined) return wanted === form ? 2 + near : 0
  if (name.words.some((word) => callsFor[form].has(word))) return 3 + near
  // A name is no address and no date.
  if (unmistakable.has(form) && name.words.some((word) => formsCalled.has(word))) return 0
  // An optional place gets only what its name, its format or the words around call for.
  if (!required && near === 0) return 0
  // An id is a code, and no name.
  if (form === 'name' && name.words.at(-1) === 'id') return 0
  // A part of a sentence is no city and no address; one word may be.
  if (form === 'phrase' && token.text.includes(' ') && name.words.some((word) => formsCalled.has(word)))
    return 0
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
  if (form !== 'date') return [text]
  const iso = isoTextOf(token, year)
  return format === 'date-time' && iso.length === 10 ? [`${iso}T00:00:00Z`] : [iso, text]
}

/** A value in a result; the name is empty for a result that is one value. */
type Field = readonly [name: string, candidate: Candidate]

/** The results of tools, read when they are first asked for. */
export class Results {
  readonly texts: readonly string[]
  #fields: readonly Field[] | undefined

  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  /** The fields with the name of the place; `id` is that of any `…_id`. */
  valuesFor({ name }: Place, evenWithoutName: boolean): readonly Candidate[] {
    this.#fields ??= this.texts.flatMap((text) => {
      const result = jsonIn(text.slice(0, 20_000)) ?? (text.length > 200 ? '' : text.trim())
      return [...fieldsIn(result)].slice(0, 100)
    })
    const wanted = name.words.join(' ')
    return this.#fields
      .filter(([field]) => {
        if (field === '') return evenWithoutName
        return field === wanted || (field === 'id' && wanted.endsWith(' id'))
      })
      .map(([, candidate]) => candidate)
  }
}

/** The scalars of a result, with the words of their names; a number is a text too. */
function* fieldsIn(value: unknown, name = '', depth = 0): Generator<Field> {
  const token = { name }
  if (typeof value === 'number') yield [name, { value, token }]
  if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
    yield [name, { value: String(value), token }]
  if (typeof value !== 'object' || value === null || depth > 4) return
  for (const [key, part] of Object.entries(value))
    yield* fieldsIn(part, Array.isArray(value) ? name : new Words(key).words.join(' '), depth + 1)
}
