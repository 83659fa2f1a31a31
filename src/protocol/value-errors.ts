/** Errors in values that people write (settings, options), with the word they probably meant. */

import * as z from 'zod'
import { isFields } from '../engine/fields.ts'
import { type LocatedFinding, locatedFindings } from './findings.ts'
import { expectedWords, nearestWord } from './nearest-word.ts'
import { formsOf } from './schema-forms.ts'
import { removedKeys, removedSettings } from './settings/removed.ts'
import { maxErrors, show, valueAt } from './wording.ts'

type Path = readonly PropertyKey[]

export interface SettingError {
  readonly path: Path
  /** As `clock.mode`; deeper than `path` where the schema has no place for it; empty for the whole value. */
  readonly field: string
  readonly message: string
  /** True when the key is wrong, not its value. */
  readonly key: boolean
  /** True when no schema has such a key; the message then lists the known ones. */
  readonly unknown: boolean
}

/** How many errors have suggestions; further ones only name the expected values. */
const maxSuggestions = 20

/** The longest list of words that is shown beside the suggestion. */
const maxListed = 8

/** The errors behind the issues of a schema: `maxErrors`, and one more where there are more. */
export function errorsIn(
  issues: Iterable<z.core.$ZodIssue>,
  schema: z.ZodType,
  value: unknown,
): SettingError[] {
  const errors: SettingError[] = []
  for (const issue of issues) {
    const key = issue.code === 'invalid_key'
    for (const finding of locatedFindings([issue], value)) {
      const suggests = errors.length < maxSuggestions
      const { path, field, message } = finding
      if (finding.unknown === true) errors.push(unknownKey(finding, schema, value, suggests))
      else if (suggests) errors.push(errorOf(finding, key, value))
      else errors.push({ path, field, message, key, unknown: false })
      if (errors.length > maxErrors) return errors
    }
  }
  return errors
}

const isNumeral = (input: unknown): boolean => typeof input === 'string' && /^-?\d+(?:\.\d+)?$/.test(input)

function unknownKey(
  { path, field }: LocatedFinding,
  schema: z.ZodType,
  value: unknown,
  suggests: boolean,
): SettingError {
  const setting = path.join('.')
  if (Object.hasOwn(removedSettings, setting))
    return removedKey(path, field, `this setting was removed: ${removedSettings[setting]}`)
  const names = path.filter((part) => typeof part === 'string')
  const lastTwo = names.slice(-2).join('.')
  if (Object.hasOwn(removedKeys, lastTwo))
    return removedKey(path, field, `this key was removed: ${removedKeys[lastTwo]}`)
  const written = String(path.at(-1))
  const holder = path.slice(0, -1)
  const forms = objectsAt(schema, holder)
  const beside = valueAt(value, holder)
  const message = suggests ? keyMeant(written, forms, beside) : knownKeys(written, forms, beside).expected
  return { path, field, message, key: true, unknown: true }
}

function removedKey(path: Path, field: string, message: string): SettingError {
  return { path, field, message, key: true, unknown: false }
}

function errorOf(
  { path, field, message, words, expected }: LocatedFinding,
  key: boolean,
  value: unknown,
): SettingError {
  const input = valueAt(value, path)
  if (input === undefined && words !== undefined) {
    const elsewhere = misplaced(path, words, value)
    if (elsewhere !== undefined)
      return {
        path: [...path.slice(0, -1), elsewhere.name],
        field,
        message:
          `is required: did you mean ${String(path.at(-1))}: ${elsewhere.word} instead of ` +
          `${elsewhere.name}: ${elsewhere.written}?`,
        key: true,
        unknown: false,
      }
  }
  const nearest = words !== undefined && typeof input === 'string' ? nearestWord(input, words) : undefined
  const quoted =
    nearest === input || (expected?.startsWith('a number') === true && isNumeral(input)) ? input : undefined
  // The value is right, but quoted.
  if (typeof quoted === 'string')
    return { path, field, message: `expected ${quoted} without quotes, got "${quoted}"`, key, unknown: false }
  if (nearest === undefined)
    return { path, field, message: shortened(message, words, input), key, unknown: false }
  const wrong = (words ?? []).length > maxListed ? `unknown value ${JSON.stringify(input)}` : message
  return { path, field, message: `${wrong}; did you mean ${nearest}?`, key, unknown: false }
}

/** Longer lists of words are cut: they would hide the rest of the message. */
const maxWords = 40

function shortened(message: string, words: readonly string[] = [], input: unknown): string {
  if (words.length <= maxWords || typeof input !== 'string') return message
  const some = words.slice(0, maxListed).join(', ')
  return `unknown value ${show(input)}: expected one of ${some}, … (${words.length} in total)`
}

/** A key with a value for a missing key: `type: disconnect` instead of `kind: disconnect`. */
function misplaced(
  path: Path,
  words: readonly string[],
  value: unknown,
): { readonly name: string; readonly written: string; readonly word: string } | undefined {
  const holder = valueAt(value, path.slice(0, -1))
  for (const [name, written] of isFields(holder) ? Object.entries(holder) : []) {
    const word = typeof written === 'string' ? nearestWord(written, words) : undefined
    if (word !== undefined) return { name, written: written as string, word }
  }
  return undefined
}

/** The suggestion for a key that is unknown or cannot be combined with the others. */
function keyMeant(written: string, forms: readonly z.ZodObject[], value: unknown): string {
  const { without, known, expected } = knownKeys(written, forms, value)
  const nearest = nearestWord(written, known)
  if (nearest !== undefined) return `did you mean ${nearest}?`
  if (!forms.some(({ shape }) => Object.hasOwn(shape, written))) return expected
  const [only] = without
  const kind =
    without.length !== 1 || only === undefined
      ? undefined
      : literalFields(only).flatMap(([name]) => (isFields(value) ? [String(value[name])] : []))[0]
  if (kind !== undefined) return `not valid for ${kind}; ${expected}`
  return `cannot be combined with the other keys; ${expected}`
}

/** The keys that are valid instead of an unknown key. */
function knownKeys(written: string, forms: readonly z.ZodObject[], value: unknown) {
  const intended = forms.filter((form) => fits(form, value))
  // A form with this key would have accepted it: the value has another form.
  const without = (intended.length > 0 ? intended : forms).filter(
    ({ shape }) => !Object.hasOwn(shape, written),
  )
  const known = keysOfForms(without)
  return { without, known, expected: expectedWords(known) }
}

/** Whether a value has this form: by its literals, or because it has all required keys. */
function fits(form: z.ZodObject, value: unknown): boolean {
  if (!isFields(value)) return false
  const literals = literalFields(form)
  if (literals.length > 0)
    return literals.every(([name, schema]) => schema.values.has(value[name] as z.core.util.Literal))
  return Object.entries(form.shape).every(
    ([name, schema]) => schema instanceof z.ZodOptional || Object.hasOwn(value, name),
  )
}

function literalFields({ shape }: z.ZodObject): (readonly [string, z.ZodLiteral])[] {
  return Object.entries(shape).flatMap(([name, schema]) =>
    schema instanceof z.ZodLiteral ? [[name, schema] as const] : [],
  )
}

function keysOfForms(forms: readonly z.ZodObject[]): string[] {
  return [...new Set(forms.flatMap(({ shape }) => Object.keys(shape)))]
}

/** The object schemas at a path. */
function objectsAt(schema: z.ZodType, path: Path): z.ZodObject[] {
  return formsOf(schema).flatMap((form): z.ZodObject[] => {
    const [part, ...rest] = path
    if (part === undefined) return form instanceof z.ZodObject ? [form] : []
    if (form instanceof z.ZodRecord) return objectsAt(form.valueType as z.ZodType, rest)
    if (form instanceof z.ZodArray) return objectsAt(form.element as z.ZodType, rest)
    if (!(form instanceof z.ZodObject)) return []
    const field = form.shape[part as string] as z.ZodType | undefined
    return field === undefined ? [] : objectsAt(field, rest)
  })
}
