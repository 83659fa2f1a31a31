/** Suggests values for the places of a schema from the tokens of a text. */
import { isFields } from '../../engine/fields.ts'
import type { Candidate, Place, Suggest } from '../json-schema/fill.ts'
import type { JsonValue } from '../json-schema/json-value.ts'
import { stemOf, stemsIn, wordsIn } from './stems.ts'
import { type Form, isoTextOf, type Token, tokensIn } from './tokens-in.ts'

/** The words of a place's name, title or format that call for a form. */
const callsFor: Readonly<Record<Form, RegExp>> = {
  url: /\b(?:url|uri|link|website|page|href)\b/,
  email: /\b(?:e ?mail|recipient|to|cc|attendee)\b/,
  date: /\b(?:date|day|deadline|birthday|since|until|start|end|due|when|from|to)\b/,
  time: /\b(?:time|at|when|start|end|hour)\b/,
  path: /\b(?:path|file|folder|directory|filename)\b/,
  number: /\b(?:id|number|zip|code|phone|port|version|amount)\b/,
  code: /\b(?:id|code|currency|symbol|ticker|key|number|from|to|sku|reference)\b/,
  name: /\b(?:name|city|location|place|person|country|origin|destination|from|to|who|language|company)\b/,
  quote: /\b(?:text|message|title|query|content|body|subject|note|name)\b/,
  phrase: /\b(?:text|message|title|query|content|body|subject|note|task|description|topic|question|prompt)\b/,
}
/** The forms that a place takes if its name calls for none, best first. */
const usualForms: readonly Form[] = [
  'quote',
  'name',
  'code',
  'path',
  'url',
  'email',
  'date',
  'time',
  'phrase',
]
const formsOfFormats: Readonly<Record<string, readonly Form[]>> = {
  email: ['email'],
  uri: ['url'],
  url: ['url'],
  date: ['date'],
  'date-time': ['date'],
  time: ['time'],
}

/** A text whose tokens fill places, and the records that tools returned. */
export interface Source {
  readonly text: string
  readonly results?: readonly string[] | undefined
  /** Whether a result that is one value comes before the tokens of the text. */
  readonly resultsFirst?: boolean | undefined
  /** The year of dates without one. */
  readonly year: number
}

/** The suggestions of a source. With stems, what is left of the text without them is a token too. */
export function suggestionsFrom(
  { text, results = [], resultsFirst = false, year }: Source,
  stemsOfTool?: ReadonlySet<string>,
): Suggest {
  const tokens = tokensOf(text, stemsOfTool)
  const stems = new Set(wordsIn(text).map(stemOf))
  const values = new Map<string, object>()
  const fields = results.flatMap((result) => fieldsIn(result))
  const single = results.flatMap((result) => singleValue(result))
  return (place, used) => {
    if (place.values !== undefined)
      return place.values
        .filter(
          (value) => typeof value === 'string' && wordsIn(value).every((word) => stems.has(stemOf(word))),
        )
        .map((value) => ({ value, token: tokenOf(String(value), values) }))
        .filter(({ token }) => !used.has(token))
    const last = [...used].at(-1)
    const isAlike = ({ form }: Token): boolean =>
      last === undefined || !('form' in last) || last.form === form
    const open = tokens.filter((token) => !used.has(token))
    // The items of a list are alike, and no sentence is one of them.
    const items = open.filter((token) => token.form !== 'phrase' && (place.index === 0 || isAlike(token)))
    const suitable = tokensFor(place, text, place.index === undefined ? open : items)
    const fromText = suitable.flatMap((token) =>
      valuesOf(token, place, year).map((value) => ({ value, token })),
    )
    const known = fieldsFor(place, fields)
    const ordered = resultsFirst ? [...known, ...single, ...fromText] : [...known, ...fromText]
    return ordered.filter(({ token }) => !used.has(token))
  }
}

/** The same token for the same value. */
function tokenOf(value: string, known: Map<string, object>): object {
  const token = known.get(value) ?? { value }
  known.set(value, token)
  return token
}

/** The tokens of a text; with the stems that chose a tool, the phrase that is left of it is one. */
export function tokensOf(text: string, stemsOfTool?: ReadonlySet<string>): readonly Token[] {
  const phrase = stemsOfTool === undefined ? undefined : phraseIn(text, stemsOfTool)
  return phrase === undefined ? tokensIn(text) : [...tokensIn(text), phrase]
}

/** The tokens that suit a place, best first. */
export function tokensFor(place: Place, text: string, tokens: readonly Token[]): readonly Token[] {
  const words = wordsIn(`${place.name} ${place.title}`)
  const name = words.map((word) => word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')).join(' ')
  return tokens
    .map((token) => ({ token, score: scoreOf(place, name, token, text) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.token.at - b.token.at)
    .map(({ token }) => token)
}

/** How well a token suits a place; 0 if not at all. */
function scoreOf(place: Place, name: string, token: Token, text: string): number {
  const isNumeric = place.types.some((type) => type === 'number' || type === 'integer')
  const near = nearness(place, token, text)
  if (isNumeric && token.form === 'number') return 1 + near
  if (!place.types.includes('string')) return 0
  const byFormat = place.format === undefined ? undefined : formsOfFormats[place.format]
  if (byFormat !== undefined) return byFormat.includes(token.form) ? 2 + near : 0
  const isCalled = callsFor[token.form].test(name)
  // An id is a code, and never a part of a sentence.
  const isId = /\b(?:id|number|key|code)\b/.test(name)
  const usual =
    isId && (token.form === 'phrase' || token.form === 'name') ? -1 : usualForms.indexOf(token.form)
  if (isCalled) return 3 + near
  // An optional place gets only what its name, its format or the words around call for.
  if (!place.required && near === 0) return 0
  return usual < 0 ? 0 : 1 - usual / 20 + near
}

/** Whether the words before or behind a token name the place. */
function nearness({ name, description }: Place, { at, end }: Token, text: string): number {
  const around = [
    ...wordsIn(text.slice(Math.max(0, at - 30), at)).slice(-2),
    ...wordsIn(text.slice(end, end + 20)).slice(0, 1),
  ]
  const names = new Set(wordsIn(name).map(stemOf))
  if (around.some((word) => names.has(stemOf(word)))) return 2
  const described = stemsIn(description)
  return around.some((word) => described.has(stemOf(word))) ? 0.5 : 0
}

function valuesOf(token: Token, { types, format }: Place, year: number): readonly JsonValue[] {
  const { form, text } = token
  if (form === 'number') {
    const number = Number(text.replaceAll(',', ''))
    return types.includes('string') ? [text, number] : [number]
  }
  if (form !== 'date' && form !== 'time') return [text]
  const iso = isoTextOf(token, year)
  return form === 'date' && format === 'date-time' && iso.length === 10 ? [`${iso}T00:00:00Z`] : [iso, text]
}

/** What is left of a text without the words at its start that chose the tool: `search for cheap flights`. */
function phraseIn(text: string, without: ReadonlySet<string>): Token | undefined {
  const words = [...text.matchAll(/\S+/g)]
  const isLeft = (word: string): boolean => {
    const [stem = ''] = stemsIn(word)
    return stem !== '' && !without.has(stem)
  }
  const first = words.findIndex(([word]) => isLeft(word))
  const start = words[first]
  if (start === undefined) return undefined
  const phrase = text.slice(start.index).replace(/[\s.!?,;:]+$/, '')
  return { form: 'phrase', text: phrase, at: start.index, end: start.index + phrase.length }
}

/** A result that is one number or word: a number, or a text. */
function singleValue(result: string): readonly Candidate[] {
  const text = result.trim().replace(/^"(.*)"$/s, '$1')
  if (text === '' || text.length > 200 || /^[[{]/.test(text)) return []
  const token = { text }
  const number = Number(text)
  return Number.isNaN(number)
    ? [{ value: text, token }]
    : [
        { value: number, token },
        { value: text, token },
      ]
}

/** The fields of a result in JSON, with their names. */
function fieldsIn(result: string): readonly { readonly name: string; readonly candidate: Candidate }[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(result.slice(0, 20_000))
  } catch {
    return []
  }
  const found: { name: string; candidate: Candidate }[] = []
  const collect = (value: unknown, depth: number): void => {
    if (depth > 4 || found.length > 100) return
    if (Array.isArray(value)) for (const item of value) collect(item, depth + 1)
    if (!isFields(value)) return
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'string' || typeof field === 'number')
        found.push({ name, candidate: { value: field, token: { name } } })
      else collect(field, depth + 1)
    }
  }
  collect(parsed, 0)
  return found
}

/** The fields of results with the name of the place; `id` is that of any `…_id`. */
function fieldsFor(
  { name }: Place,
  fields: readonly { readonly name: string; readonly candidate: Candidate }[],
): readonly Candidate[] {
  const wanted = wordsIn(name).join(' ')
  return fields
    .filter((field) => {
      const given = wordsIn(field.name).join(' ')
      return given === wanted || (given === 'id' && wanted.endsWith(' id'))
    })
    .map(({ candidate }) => candidate)
}
