/** Whether a matcher can ever match: its fields exist in the schema, its operators are valid. */
import * as z from 'zod'
import { parseDuration } from '../../engine/duration.ts'
import { isFields } from '../../engine/fields.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { locatedFindings } from '../../protocol/findings.ts'
import { asText, clip, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-value.ts'
import { operators, operatorWords } from '../values.ts'
import { brief, insteadOf } from './familiar.ts'
import {
  type Compared,
  type FileError,
  fieldsOf,
  formsOf,
  isScalar,
  itemsOf,
  type Path,
  suggestion,
  wrongKey,
  wrongValue,
} from './forms.ts'

type Kind = 'text' | 'number' | 'list'

/** The kinds of values that each operator can match. */
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

/**
 * Why an operator matches no value here; undefined if it may. `forms` are the possible forms of the value.
 */
function reachesNothing(
  word: string,
  wanted: unknown,
  forms: readonly z.ZodType[],
  { held = 'request', texts = held !== 'response' }: Compared,
): string | undefined {
  const wantedKinds = kinds[word]
  if (forms.length === 0 || wantedKinds === undefined) return undefined
  // A list of objects has no string item.
  const items = objectsIn(forms) && word === 'contains' ? [] : wantedKinds
  const reaches = (kind: Kind | 'other' | 'any'): boolean =>
    kind === 'any' || (kind === 'list' ? items : wantedKinds).includes(kind as Kind)
  if (forms.some((form) => reaches(kindOf(form, texts)))) return undefined
  const some = someItem(forms, `{ ${word}: ${show(wanted)} }`)
  if (some !== undefined) return `can never match a list: write ${some}`
  const what = wantedKinds.map((kind) => `a ${kind === 'text' ? 'string' : kind}`)
  return `can never match: no ${held} has ${what.join(' or ')} at this path`
}

/** A condition on the items of a list; undefined if the value is not a list. */
function someItem(forms: readonly z.ZodType[], condition: string): string | undefined {
  if (!forms.some((form) => form instanceof z.ZodArray)) return undefined
  return `{ some: ${objectsIn(forms) ? `{ FIELD: ${condition} }` : condition} }`
}

/** What to write for an item of a list that is an object, which `contains` does not take. */
function itemRemedy(word: string, wanted: unknown, forms: readonly z.ZodType[]): string {
  const isList = forms.length === 0 || forms.some((form) => form instanceof z.ZodArray)
  return word === 'contains' && isFields(wanted) && isList
    ? `: for a list, write { some: ${brief(wanted)} }`
    : ''
}

function objectsIn(forms: readonly z.ZodType[]): boolean {
  const items = itemsOf(forms).flatMap(formsOf)
  return items.length > 0 && items.every((item) => item instanceof z.ZodObject)
}

function kindOf(form: z.ZodType, texts: boolean): Kind | 'other' | 'any' {
  if (form instanceof z.ZodArray) return 'list'
  if (form instanceof z.ZodObject) return 'other'
  if (texts || !isScalar(form) || form instanceof z.ZodLiteral) return 'any'
  if (form instanceof z.ZodNull || form instanceof z.ZodBoolean) return 'other'
  return form instanceof z.ZodNumber || form instanceof z.ZodNumberFormat ? 'number' : 'text'
}

/** The maximum number of unknown names reported per object: each needs a search for similar names. */
const maxUnknown = 20

/** The errors of a matcher. One of `against` must fit; without any, every value is possible. */
export function* checkMatcher(
  shape: unknown,
  path: Path,
  against: readonly z.ZodType[],
  how: Compared = {},
): Generator<FileError> {
  const forms = against.flatMap(formsOf)
  const { held = 'request' } = how
  if (shape === null || typeof shape !== 'object') {
    const template = held === 'response' && typeof shape === 'string' && shape.includes('${')
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
        `can never match: no ${held} has the value ${show(shape)} at this path${meantBy(shape, forms)}`,
      )
    return
  }
  if (Array.isArray(shape)) {
    if (forms.length > 0 && forms.every((form) => isScalar(form) || form instanceof z.ZodObject))
      yield wrongValue(
        path,
        `can never match: no ${held} has a list at this path. ` +
          'To allow several values, write { anyOf: […] }',
      )
    for (const [index, item] of shape.entries())
      yield* checkMatcher(item, [...path, index], itemsOf(forms), how)
    return
  }
  if (isOperators(shape)) {
    yield* checkOperators(shape, path, against, how)
    return
  }
  const known = fieldsOf(forms, held)
  let unknown = 0
  for (const [name, part] of Object.entries(shape)) {
    const here = [...path, name]
    if (known === undefined || known.has(name)) {
      yield* checkMatcher(part, here, known?.get(name) ?? [], how)
      continue
    }
    if (++unknown > maxUnknown) continue
    const familiar = insteadOf('operators', { name, value: part }, isOperator(name))
    // Where no fields are possible, operators were intended.
    if (known.size === 0 && (familiar !== undefined || Object.keys(shape).some(isOperator))) {
      const hint = familiar === undefined ? suggestion(name, operatorWords()) : `: ${familiar}`
      if (!isOperator(name)) yield wrongKey(here, `unknown operator ${show(name)}${hint}`)
      continue
    }
    const hint = /[.[]/.test(name)
      ? `: write \`${nestedShape(name, part)}\``
      : familiar === undefined
        ? suggestion(name, [...known.keys()], operatorWords())
        : `: ${familiar}`
    const message = isOperator(name)
      ? `the operator ${name} cannot be combined with fields: put operators into a separate object`
      : `no ${how.of === undefined ? '' : `${how.of} `}${held} has a field ${show(name)} at this path${hint}`
    yield wrongKey(here, message)
  }
}

const isOperator = (word: string): boolean => operatorWords().includes(word)

const pattern = /^\/(.+)\/([a-z]*)$/

/** Whether a string is a regular expression between slashes. */
export const isPattern = (value: unknown): boolean => typeof value === 'string' && pattern.test(value)

/** A string that is a regular expression literal in other languages. */
function patternAsText(text: string): string | undefined {
  const [, source, flags] = pattern.exec(text) ?? []
  if (source === undefined) return undefined
  const flagged = flags === '' ? '' : ` (flags are not supported: write [Hh]ello instead of /hello/i)`
  return (
    `is compared as a string, including the slashes: write { regex: ${show(source)} } for a regular ` +
    `expression${flagged}, or { equals: ${show(text)} } for this string`
  )
}

const partial = ['contains', 'startsWith', 'endsWith']

// A path such as `/etc/` can be part of a text; flags and special characters are signs of a pattern.
function isRegexAsText(value: unknown): value is string {
  const [, source = '', flags = ''] = (typeof value === 'string' && pattern.exec(value)) || []
  return flags === '' ? /[\\^$*+?()[\]{}|]/.test(source) : /^[gimsuy]+$/.test(flags)
}

function* checkOperators(
  shape: Readonly<Record<string, unknown>>,
  path: Path,
  against: readonly z.ZodType[],
  how: Compared,
): Generator<FileError> {
  const forms = against.flatMap(formsOf)
  for (const [word, wanted] of Object.entries(shape)) {
    const here = [...path, word]
    const schema = (operators().shape as Readonly<Record<string, z.ZodType>>)[word] as z.ZodType
    const [wrong] = locatedFindings(safeParse(schema, wanted).error?.issues ?? [], wanted)
    const slashes = word === 'regex' && typeof wanted === 'string' ? pattern.exec(wanted)?.[1] : undefined
    const nothing = reachesNothing(word, wanted, forms, how)
    if (wrong !== undefined) yield wrongValue(here, wrong.message + itemRemedy(word, wanted, forms))
    else if (slashes !== undefined)
      yield wrongValue(here, `the slashes would be part of the pattern: write ${show(slashes)}`)
    else if (nothing !== undefined) yield wrongKey(here, nothing)
    else if (partial.includes(word) && isRegexAsText(wanted))
      yield wrongValue(
        here,
        'is compared as a string, including the slashes: write ' +
          `{ regex: ${show(pattern.exec(wanted)?.[1])} } for a regular expression (without flags)`,
      )
    // An object after `equals` is compared literally.
    if (word === 'equals' && (wanted === null || typeof wanted !== 'object') && !isPattern(wanted))
      yield* checkMatcher(wanted, here, against, how)
    if (word === 'not') yield* checkMatcher(wanted, here, against, how)
    if (word === 'anyOf' && Array.isArray(wanted))
      for (const [index, one] of wanted.entries()) yield* checkMatcher(one, [...here, index], against, how)
    const isItem = word === 'contains' && nothing === undefined
    if (word === 'some' || (isItem && forms.every((form) => form instanceof z.ZodArray)))
      yield* checkMatcher(wanted, here, itemsOf(forms), how)
    if (word === 'length') yield* checkMatcher(wanted, here, [z.number()], how)
  }
}

// Forms and queries contain only strings.
function takes(form: z.ZodType, value: unknown, { held, texts = held !== 'response' }: Compared): boolean {
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

/** The probable intention behind a value that is impossible there. */
function meantBy(value: unknown, forms: readonly z.ZodType[]): string {
  if (forms.some((form) => takes(form, value, { texts: true })))
    return typeof value === 'string'
      ? `; did you mean ${clip(value, 58)}, without quotes?`
      : `; did you mean ${show(String(value))}, as a string?`
  if (typeof value !== 'string') return ''
  const ms = forms.some((form) => form instanceof z.ZodNumber) ? parseDuration(value) : undefined
  if (ms !== undefined) return `; did you mean ${ms}, in milliseconds?`
  const items = someItem(forms, `{ contains: ${show(value)} }`)
  if (items !== undefined) return `. Write ${items}`
  const words = forms.flatMap((form) =>
    form instanceof z.ZodEnum ? form.options : form instanceof z.ZodLiteral ? [...form.values] : [],
  )
  return suggestion(value, [...new Set(words.map(String))]).replace(/^:/, ',')
}

/** `body.messages[0].content` becomes `body: { messages: { some: { content: … } } }`. */
export function nestedShape(path: string, value: unknown): string {
  const parts = path
    .replace(/^\$\.?/, '')
    .split(/[.[\]'"]+/)
    .filter((part) => part !== '')
    .map((part) => (/^-?\d+$|^\*$/.test(part) ? 'some' : part))
  const last = value !== null && typeof value === 'object' ? '{ … }' : plain(value)
  return `${parts[0] ?? '…'}: ${parts.slice(1).reduceRight((inner, part) => `{ ${part}: ${inner} }`, last)}`
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/^[\w.-]+$/.test(value) ? show(value) : asText(value)
}
