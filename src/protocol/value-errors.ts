/** Errors in values that people write (settings, options), with the word they probably meant. */

import * as z from 'zod'
import { isFields } from '../engine/fields.ts'
import { firstOf, type LocatedError, locatedErrors } from './field-errors.ts'
import { didYouMean, nearestWord } from './nearest-word.ts'
import { formsOf } from './schema-forms.ts'
import { maxErrors, show, valueAt } from './wording.ts'

type Path = readonly PropertyKey[]

/** The longest list of words that is shown beside the suggestion. */
const maxListed = 8

/** The errors behind the issues of a schema: `maxErrors`, and one more where there are more. */
export function errorsIn(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  value: unknown,
): LocatedError[] {
  return firstOf(locatedErrors(issues, value), maxErrors + 1).map((error) => ({
    ...error,
    message: error.unknown === true ? unknownKey(error, schema, value) : wrongValue(error, value),
  }))
}

function wrongValue({ path, message, words = [] }: LocatedError, value: unknown): string {
  const input = valueAt(value, path)
  const nearest = typeof input === 'string' ? nearestWord(input, words) : undefined
  if (nearest === undefined || nearest === input) return message
  const wrong = words.length > maxListed ? `unknown value ${JSON.stringify(input)}` : message
  return `${wrong}; did you mean ${nearest}?`
}

function unknownKey({ path }: LocatedError, schema: z.ZodType, value: unknown): string {
  const written = String(path.at(-1))
  const holder = path.slice(0, -1)
  // A form with this key would have accepted it: the value has another form.
  const forms = objectsAt(schema, holder).filter(({ shape }) => !Object.hasOwn(shape, written))
  const intended = forms.filter((form) => fits(form, valueAt(value, holder)))
  const shapes = (intended.length > 0 ? intended : forms).map(({ shape }) => shape)
  const known = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))]
  return `unknown key ${show(written)}: ${didYouMean(written, known)}`
}

/** Whether a value has the literals of this form, such as the `kind` of a fault, or all its required keys. */
function fits({ shape }: z.ZodObject, value: unknown): boolean {
  if (!isFields(value)) return false
  const fields = Object.entries(shape)
  const literals = fields.filter(([, schema]) => schema instanceof z.ZodLiteral)
  if (literals.length > 0) return literals.every(([name, schema]) => schema.safeParse(value[name]).success)
  return fields.every(([name, schema]) => schema instanceof z.ZodOptional || Object.hasOwn(value, name))
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
