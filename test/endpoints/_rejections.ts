/** What follows from the schema of a field: the values at its bounds, and those beyond, with their sentences. */
import * as z from 'zod'
import {
  absent,
  boundsOf,
  discriminatorOf,
  type Field,
  isWhole,
  kindOf,
  labelOf,
  oddTexts,
  placeOf,
  sampleOf,
  wordsOf,
} from './_fields.ts'

export const isStrict = (form: z.ZodType): boolean =>
  form instanceof z.ZodObject && form.def.catchall instanceof z.ZodNever

export interface Rejection {
  readonly value: unknown
  /** The path in the message. */
  readonly at: string
  readonly message: string
}

const quoted = (words: readonly unknown[]): string =>
  words.length === 1
    ? JSON.stringify(words[0])
    : `one of ${words.map((word) => JSON.stringify(word)).join(', ')}`

const articles = { string: 'a string', number: 'a number', boolean: 'a boolean', null: 'null' }

/** What a field takes, in the words of a rejection: `a string or an array`. */
function expectedBy(forms: readonly z.ZodType[]): string {
  const alternatives = forms.map((form) => {
    const kind = kindOf(form)
    if (kind === 'words') return quoted(wordsOf(form))
    return kind === 'array' || kind === 'object' ? `an ${kind}` : articles[kind as keyof typeof articles]
  })
  return joined([...new Set(alternatives)])
}

/** `a, b or c`, unless one is a list of words. */
function joined(alternatives: readonly string[]): string {
  const text = alternatives.join(' or ')
  return text.includes(',') ? text : text.replaceAll(/ or (?=.* or )/g, ', ')
}

function shown(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0
      ? 'an empty array'
      : `an array of ${value.length} item${value.length === 1 ? '' : 's'}`
  return value !== null && typeof value === 'object' ? 'an object' : JSON.stringify(value)
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A value of a type that none of the forms has; undefined where every type is taken. */
function ofAnotherType(forms: readonly z.ZodType[]): unknown {
  const taken = forms.flatMap((form) => (kindOf(form) === 'words' ? wordsOf(form).map(typeOf) : kindOf(form)))
  return taken.includes('any') || taken.includes('file')
    ? undefined
    : [7, 'odd', [], {}].find((value) => !taken.includes(typeOf(value)))
}

const units = { string: 'character', array: 'item', object: 'key' }

function counted(count: number, form: z.ZodType): string {
  const unit = units[kindOf(form) as keyof typeof units]
  return unit === undefined ? `${count}` : `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** A value of this size: a number, or a text, list or map of this length. */
function ofSize(form: z.ZodType, size: number): unknown {
  if (form instanceof z.ZodArray)
    return Array.from({ length: size }, () => sampleOf(form.element as z.ZodType))
  if (form instanceof z.ZodRecord) {
    const part = sampleOf(form.valueType as z.ZodType)
    return Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, part]))
  }
  if (!(form instanceof z.ZodString)) return size
  const start = size === 0 ? '' : String(sampleOf(form)).slice(0, size)
  return start.padEnd(size, 'a')
}

const sizeOf = (form: z.ZodType, size: number): string =>
  kindOf(form) === 'string' && size === 0 ? 'an empty string' : `${size}`

/** The values beyond what a field takes. */
export function rejectionsOf(field: Field): Rejection[] {
  const { schema, forms, way, isRequired } = field
  const at = placeOf(way)
  const expected = expectedBy(forms)
  const found: Rejection[] = []
  const reject = (value: unknown, message: string, inside = ''): void =>
    void found.push({ value, at: `${at}${inside}`, message: ownSentence(field, value) ?? message })

  const other = ofAnotherType(forms)
  if (other !== undefined) reject(other, `expected ${expected}, got ${shown(other)}`)
  if (other !== undefined && !schema.safeParse(null).success) reject(null, `expected ${expected}, got null`)
  if (isRequired) reject(absent, `is required: expected ${expected}`)
  if (forms.some((form) => wordsOf(form).some((word) => typeof word === 'string')))
    reject('odd', `expected ${expected}, got "odd"`)
  const told = discriminatorOf(schema)
  if (told !== undefined) {
    reject({}, `is required: expected ${quoted(told.words)}`, `.${told.name}`)
    reject({ [told.name]: 'odd' }, `expected ${quoted(told.words)}, got "odd"`, `.${told.name}`)
  }
  if (forms.some((form) => kindOf(form) === 'string'))
    for (const text of oddTexts) {
      const own = ownSentence(field, text)
      if (own !== undefined) reject(text, own)
    }
  for (const form of forms) {
    if (isWhole(form)) reject(1.5, 'expected a whole number, got 1.5')
    for (const [size, bound] of beyond(form, schema))
      reject(ofSize(form, size), `expected ${bound}, got ${sizeOf(form, size)}`)
    if (isStrict(form))
      reject({ ...(sampleOf(form) as object), odd: 1 }, 'is not a known field: remove it', '.odd')
  }
  return found
}

/** The sentence of a rule that has one of its own, for a value or for one that is left out. */
function ownSentence({ schema }: Field, value: unknown): string | undefined {
  const given = value === absent ? undefined : value
  const issues = schema.safeParse(given).error?.issues ?? []
  const own = issues.find(({ path, message }) => path.length === 0 && /^(?:expected|is) /.test(message))
  if (own === undefined) return undefined
  const { message } = own
  if (given === undefined) return message.replace(/^expected/, 'is required: expected')
  return message.includes(', got ') || !message.startsWith('expected')
    ? message
    : `${message}, got ${shown(given)}`
}

/** The sizes one step beyond the bounds of a form, each with the words for the bound. */
function beyond(form: z.ZodType, schema: z.ZodType): (readonly [size: number, bound: string])[] {
  const { min, max } = boundsOf(form, schema)
  const step = isWhole(form) || kindOf(form) !== 'number' ? stepOf(min ?? max ?? 0) : 0.01
  return [
    ...(min === undefined ? [] : [[min - step, `at least ${counted(min, form)}`] as const]),
    ...(max === undefined ? [] : [[max + step, `at most ${counted(max, form)}`] as const]),
  ]
}

/** One, or enough to make another number of a large one. */
const stepOf = (bound: number): number => (Number.isSafeInteger(bound) ? 1 : Math.abs(bound) / 100)

/** The values at the bounds of what a field takes. */
export function takenBy({ schema, forms }: Field): unknown[] {
  const values = forms.flatMap((form) => {
    const kind = kindOf(form)
    if (kind === 'words') return [...wordsOf(form)]
    if (kind === 'boolean') return [true, false]
    const { min, max } = boundsOf(form, schema)
    const sizes = [min, max].filter((size) => size !== undefined)
    return sizes.length === 0 ? [sampleOf(form)] : sizes.map((size) => ofSize(form, size))
  })
  // A text or map of this length may break another rule of the field, and null be none of its values.
  const isSure = (value: unknown): boolean => typeof value === 'number' || Array.isArray(value)
  return [...values, null].filter((value) => isSure(value) || schema.safeParse(value).success)
}

/** A line of the table: `temperature  number 0..2, or null`. */
export function lineOf({ name, schema, forms, isRequired, sentences }: Field): string {
  const told = discriminatorOf(schema)
  const objects = forms.filter((form) => form instanceof z.ZodObject)
  const what = forms.map((form) => {
    const kind = kindOf(form)
    if (kind === 'words') return wordsOf(form).join(' | ')
    const word = isWhole(form) ? 'integer' : form instanceof z.ZodRecord ? 'map' : kind
    const strict = isStrict(form) ? 'strict ' : ''
    const { min, max } = boundsOf(form, schema)
    return `${strict}${word}${min === undefined && max === undefined ? '' : ` ${min ?? ''}..${max ?? ''}`}`
  })
  const labels = told?.words ?? (objects.length > 1 ? objects.map(labelOf) : [])
  const parts = [
    [...new Set(what)].join(' or '),
    ...(labels.length === 0 ? [] : [`(${labels.join(' | ')})`]),
    ...(schema.safeParse(null).success && !what.includes('any') && !what.includes('null') ? ['or null'] : []),
    ...(isRequired ? ['required'] : []),
    ...sentences.map((sentence) => `"${sentence}"`),
  ]
  return `${name}  ${parts.join(', ').replaceAll(', (', ' (').replaceAll(', or null', ' or null')}`
}
