/**
 * Whether a value can ever match a shape: its fields exist in the schema, its operators are valid.
 */
import * as z from 'zod'
import { parseDuration } from '../../engine/duration.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { clip, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-shape.ts'
import { operators, operatorWords } from '../format/values.ts'
import { type Compared, fieldsOf, formsOf, isScalar, itemsOf } from './forms.ts'
import { nestedShape } from './nested-shape.ts'
import { operatorMeant, reachesNothing, someItem } from './operators.ts'
import { suggestion } from './suggestion.ts'

/** How many unknown names of one object are reported: each costs a search for similar names. */
const maxUnknown = 20

/** A mistake in a scenario, with its path in the file. */
export interface ScenarioMistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** True when the key is wrong, not its value. */
  readonly key: boolean
}

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
    if (pattern !== undefined) yield { path, message: pattern, key: false }
    else if (
      forms.length > 0 &&
      typeof shape !== 'object' &&
      !template &&
      !forms.some((form) => takes(form, shape, how))
    )
      yield {
        path,
        message: `can never be met: no ${held} holds ${show(shape)} here${meantBy(shape, forms, held)}`,
        key: false,
      }
    return
  }
  if (Array.isArray(shape)) {
    if (forms.length > 0 && forms.every((form) => isScalar(form) || form instanceof z.ZodObject))
      yield {
        path,
        message: `can never be met: no ${held} holds a list here (one of several: { anyOf: […] })`,
        key: false,
      }
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
      yield { path: here, message: `unknown operator ${show(name)}${hint}`, key: true }
      continue
    }
    const hint = /[.[]/.test(name)
      ? `: write \`${nestedShape(name, part)}\``
      : (operator ?? suggestion(name, [...known.keys()], operatorWords))
    const message = isOperator(name)
      ? `the operator ${name} is mixed with fields: give operators an object of their own`
      : `no ${held} has a field ${show(name)} here${hint}`
    yield { path: here, message, key: true }
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
  return [
    `would be compared as text, slashes included: write { regex: ${show(source)} }${flagged},`,
    `or { equals: ${show(text)} } if that is meant`,
  ].join(' ')
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
      yield {
        path: here,
        message: issue?.code === 'custom' ? issue.message : `expected ${wantedBy(word)}, got ${show(wanted)}`,
        key: false,
      }
    }
    const slashes = word === 'regex' && typeof wanted === 'string' ? pattern.exec(wanted)?.[1] : undefined
    if (slashes !== undefined)
      yield { path: here, message: `the slashes are part of the pattern: write ${show(slashes)}`, key: false }
    const nothing = result?.success === false ? undefined : reachesNothing(word, wanted, forms, how)
    if (nothing !== undefined) yield { path: here, message: nothing, key: true }
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
