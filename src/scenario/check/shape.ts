/**
 * Whether a value can ever match a shape: its fields exist in the schema, its operators are valid.
 */
import * as z from 'zod'
import { parseDuration } from '../../engine/duration.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { asText, clip, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-shape.ts'
import { operators, operatorWords } from '../values.ts'
import { type Compared, fieldsOf, formsOf, isScalar, itemsOf, suggestion } from './forms.ts'
import { type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'

/** Operators elsewhere, and how they are called here; `%` stands for the value. */
const elsewhere: readonly (readonly [names: string, write: string])[] = [
  ['matches match pattern regexp', '{ regex: % }'],
  ['equalto eq is exact equal', '%'],
  ['includes include like has substring', '{ contains: % }'],
  ['ne neq isnot notequal', '{ not: % }'],
  ['in oneof enum', '{ anyOf: % }'],
  ['prefix beginswith', '{ startsWith: % }'],
  ['suffix', '{ endsWith: % }'],
  ['min minimum atleast', '{ gte: % }'],
  ['max maximum atmost', '{ lte: % }'],
  ['greaterthan above', '{ gt: % }'],
  ['lessthan below', '{ lt: % }'],
  ['present defined', '{ exists: true }'],
  ['absent missing', '{ exists: false }'],
  ['any contain every all', '{ some: … }'],
  ['count size', '{ length: % }'],
  ['equaltojson json jsonpath', 'the fields themselves, and `some` in lists: { messages: { some: { … } } }'],
]

/** What to write for an operator of another language: `: write { regex: … }`. */
function operatorMeant(name: string, wanted: unknown): string | undefined {
  const plain = name.replace(/[-_$ ]/g, '').toLowerCase()
  const found = elsewhere.find(([names]) => names.split(' ').includes(plain))
  if (found === undefined) return undefined
  const value =
    wanted === null || typeof wanted !== 'object' ? show(wanted) : Array.isArray(wanted) ? '[…]' : '{ … }'
  return `: write ${found[1].replace('%', () => value)}`
}

type Kind = 'text' | 'number' | 'list'

/** What each operator can be true of. */
const kinds: Readonly<Record<string, readonly Kind[]>> = {
  startsWith: ['text'],
  endsWith: ['text'],
  regex: ['text'],
  contains: ['text', 'list'],
  gt: ['number'],
  gte: ['number'],
  lt: ['number'],
  lte: ['number'],
  some: ['list'],
  length: ['text', 'list'],
}

/** Why an operator holds of no value here; undefined where it may. `forms` are what the value can be. */
function reachesNothing(
  word: string,
  wanted: unknown,
  forms: readonly z.ZodType[],
  how: Compared,
): string | undefined {
  const wantedKinds = kinds[word]
  if (forms.length === 0 || wantedKinds === undefined) return undefined
  const { held = 'request', texts = held !== 'reply' } = how
  const possible = forms.map((form) => kindOf(form, texts))
  // A list of objects has no item that is a text.
  const isObjects = objectsIn(forms) !== undefined
  if (
    possible.some(
      (kind) =>
        kind === 'any' ||
        (kind === 'list'
          ? wantedKinds.includes(kind) && !(isObjects && word === 'contains')
          : wantedKinds.includes(kind as Kind)),
    )
  )
    return undefined
  const items = someItem(forms, `{ ${word}: ${show(wanted)} }`)
  if (items !== undefined)
    return `can never be met: this is a list${isObjects ? ' of objects' : ''}. Write ${items}`
  const what = wantedKinds.map((kind) => (kind === 'text' ? kind : `a ${kind}`))
  return `can never be met: no ${held} holds ${what.join(' or ')} here`
}

/** A condition on the items of a list, or on the field of their words; undefined for what is no list. */
function someItem(forms: readonly z.ZodType[], condition: string): string | undefined {
  if (!forms.some((form) => form instanceof z.ZodArray)) return undefined
  const objects = objectsIn(forms)
  return objects === undefined
    ? `{ some: ${condition} }`
    : `{ some: { ${fieldWithText(objects)}: ${condition} } }`
}

/** The objects that the items of a list are; undefined where some items are none. */
function objectsIn(forms: readonly z.ZodType[]): z.ZodType[] | undefined {
  const items = itemsOf(forms).flatMap(formsOf)
  return items.length > 0 && items.every((item) => item instanceof z.ZodObject) ? items : undefined
}

function kindOf(form: z.ZodType, texts: boolean): Kind | 'object' | 'scalar' | 'any' {
  if (form instanceof z.ZodArray) return 'list'
  if (form instanceof z.ZodObject) return 'object'
  if (form instanceof z.ZodNull || form instanceof z.ZodBoolean) return texts ? 'any' : 'scalar'
  if (form instanceof z.ZodNumber || form instanceof z.ZodNumberFormat) return texts ? 'any' : 'number'
  if (form instanceof z.ZodString || form instanceof z.ZodStringFormat || form instanceof z.ZodEnum)
    return texts ? 'any' : 'text'
  return 'any'
}

const speaking: readonly string[] = ['content', 'text', 'prompt', 'message', 'name']

function fieldWithText(objects: readonly z.ZodType[]): string {
  const names = objects.flatMap((form) => (form instanceof z.ZodObject ? Object.keys(form.shape) : []))
  return speaking.find((name) => names.includes(name)) ?? names[0] ?? '…'
}

/** How many unknown names of one object are reported: each costs a search for similar names. */
const maxUnknown = 20

/**
 * The mistakes of a shape. `against` are schemas of the value, of which one must fit; without any, every
 * value is possible.
 */
export function* checkShape(
  shape: unknown,
  path: readonly PropertyKey[],
  against: readonly z.ZodType[],
  how: Compared = {},
): Generator<ScenarioMistake> {
  const forms = against.flatMap(formsOf)
  const { held = 'request' } = how
  if (shape === null || typeof shape !== 'object') {
    const template = held === 'reply' && typeof shape === 'string' && shape.includes('${')
    const pattern = typeof shape === 'string' ? patternAsText(shape) : undefined
    if (pattern !== undefined) yield wrongValue(path, pattern)
    else if (
      forms.length > 0 &&
      typeof shape !== 'object' &&
      !template &&
      !forms.some((form) => takes(form, shape, how))
    )
      yield wrongValue(
        path,
        `can never be met: no ${held} holds ${show(shape)} here${meantBy(shape, forms, held)}`,
      )
    return
  }
  if (Array.isArray(shape)) {
    if (forms.length > 0 && forms.every((form) => isScalar(form) || form instanceof z.ZodObject))
      yield wrongValue(
        path,
        `can never be met: no ${held} holds a list here (one of several: { anyOf: […] })`,
      )
    for (const [index, item] of shape.entries())
      yield* checkShape(item, [...path, index], itemsOf(forms), how)
    return
  }
  if (isOperators(shape)) {
    yield* checkOperators(shape, path, against, forms, how)
    return
  }
  const known = fieldsOf(forms, held)
  let unknown = 0
  for (const [name, part] of Object.entries(shape)) {
    const here = [...path, name]
    if (known === undefined || known.has(name)) {
      yield* checkShape(part, here, known?.get(name) ?? [], how)
      continue
    }
    if (++unknown > maxUnknown) continue
    // Where no fields are possible, operators were intended.
    const operator = operatorMeant(name, part)
    if (known.size === 0 && (operator !== undefined || Object.keys(shape).some(isOperator))) {
      if (isOperator(name)) continue
      const meant = nearestWord(name, operatorWords)
      const hint =
        operator ??
        (meant === undefined ? `: expected one of ${operatorWords.join(', ')}` : `; did you mean ${meant}?`)
      yield wrongKey(here, `unknown operator ${show(name)}${hint}`)
      continue
    }
    const hint = /[.[]/.test(name)
      ? `: write \`${nestedShape(name, part)}\``
      : (operator ?? suggestion(name, [...known.keys()], operatorWords))
    const message = isOperator(name)
      ? `the operator ${name} is mixed with fields: give operators an object of their own`
      : `no ${held} has a field ${show(name)} here${hint}`
    yield wrongKey(here, message)
  }
}

const isOperator = (word: string): boolean => operatorWords.includes(word)

const pattern = /^\/(.+)\/([a-z]*)$/

/** Whether a text is a regular expression between slashes. */
export const isPattern = (value: unknown): boolean => typeof value === 'string' && pattern.test(value)

/** Text that is a regular expression in other languages. */
function patternAsText(text: string): string | undefined {
  const [, source, flags] = pattern.exec(text) ?? []
  if (source === undefined) return undefined
  const flagged = flags === '' ? '' : ` (flags are not known: [Hh]ello instead of /hello/i)`
  return (
    `would be compared as text, slashes included: write { regex: ${show(source)} }${flagged}, ` +
    `or { equals: ${show(text)} } if that is meant`
  )
}

function* checkOperators(
  shape: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
  against: readonly z.ZodType[],
  forms: readonly z.ZodType[],
  how: Compared,
): Generator<ScenarioMistake> {
  for (const [word, wanted] of Object.entries(shape)) {
    const here = [...path, word]
    const result = (operators.shape as Readonly<Record<string, z.ZodType>>)[word]?.safeParse(wanted)
    if (result?.success === false) {
      const [issue] = result.error.issues
      yield wrongValue(
        here,
        issue?.code === 'custom' ? issue.message : `expected ${wantedBy(word)}, got ${show(wanted)}`,
      )
    }
    const slashes = word === 'regex' && typeof wanted === 'string' ? pattern.exec(wanted)?.[1] : undefined
    if (slashes !== undefined)
      yield wrongValue(here, `the slashes are part of the pattern: write ${show(slashes)}`)
    const nothing = result?.success === false ? undefined : reachesNothing(word, wanted, forms, how)
    if (nothing !== undefined) yield wrongKey(here, nothing)
    // An object after `equals` is compared literally.
    if (word === 'equals' && (wanted === null || typeof wanted !== 'object') && !isPattern(wanted))
      yield* checkShape(wanted, here, against, how)
    if (word === 'not') yield* checkShape(wanted, here, against, how)
    if (word === 'anyOf' && Array.isArray(wanted))
      for (const [index, one] of wanted.entries()) yield* checkShape(one, [...here, index], against, how)
    if (word === 'some') yield* checkShape(wanted, here, itemsOf(forms), how)
    if (word === 'length') yield* checkShape(wanted, here, [z.number()], how)
  }
}

function wantedBy(word: string): string {
  if (['gt', 'gte', 'lt', 'lte'].includes(word)) return 'a number'
  if (word === 'exists') return 'true or false'
  if (word === 'anyOf') return 'a list'
  return word === 'contains' ? 'text, a number, true or false' : 'text'
}

// Forms and queries contain only texts.
function takes(form: z.ZodType, value: unknown, { held, texts = held !== 'reply' }: Compared): boolean {
  if (!isScalar(form)) return !(form instanceof z.ZodObject || form instanceof z.ZodArray)
  const versions = !texts
    ? [value]
    : [
        value,
        String(value),
        typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value,
        value === 'true' ? true : value === 'false' ? false : value,
      ]
  return versions.some((version) => form.safeParse(version).success)
}

const comparison = /^([<>]=?)\s*(-?[\d.]+)$/
const comparing: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }

/** What a text stands for where a request holds a number or a list. */
function textMeant(text: string, forms: readonly z.ZodType[]): string {
  const [, sign = '', number] = comparison.exec(text) ?? []
  if (number !== undefined) return `: write { ${comparing[sign]}: ${number} }`
  const items = someItem(forms, `{ contains: ${show(text.replace(/^\*+|\*+$/g, ''))} }`)
  return items === undefined ? '' : `. Write ${items}`
}

/** What was probably intended by a value that is impossible there. */
function meantBy(value: unknown, forms: readonly z.ZodType[], held: Compared['held']): string {
  if (forms.some((form) => takes(form, value, { texts: true })))
    return typeof value === 'string'
      ? `; did you mean ${clip(value, 58)}, without quotes?`
      : `; did you mean ${show(String(value))}, as text?`
  if (held !== 'reply') return typeof value === 'string' ? textMeant(value, forms) : ''
  const said = forms.flatMap((form) =>
    form instanceof z.ZodEnum ? form.options : form instanceof z.ZodLiteral ? [...form.values] : [],
  )
  const words = [...new Set(said.map(String))]
  const nearest = typeof value === 'string' ? nearestWord(value, words) : undefined
  if (words.length > 0)
    return nearest === undefined ? `, expected one of ${words.join(', ')}` : `; did you mean ${nearest}?`
  const ms =
    typeof value === 'string' && forms.some((form) => form instanceof z.ZodNumber)
      ? parseDuration(value)
      : undefined
  return ms === undefined ? '' : `; in milliseconds that is ${ms}`
}

/** `body.messages[0].content` becomes `body: { messages: { some: { content: … } } }`. */
export function nestedShape(path: string, value: unknown): string {
  const parts = path
    .replace(/^\$\.?/, '')
    .split(/[.[\]'"]+/)
    .filter((part) => part !== '')
    .map((part) => (/^-?\d+$|^\*$/.test(part) ? 'some' : part))
  const last = value !== null && typeof value === 'object' ? '{ … }' : plain(value)
  const inside = parts.slice(1).reduceRight((shape, part) => `{ ${part}: ${shape} }`, last)
  return `${parts[0] ?? '…'}: ${inside}`
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/^[\w.-]+$/.test(value) ? show(value) : asText(value)
}
