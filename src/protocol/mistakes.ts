/** What is wrong with a value that people write by hand (settings, options), with the word they meant. Knows no text and no files. */
import * as z from 'zod'
import { nearestWord } from './nearest-word.ts'
import { locatedFindings } from './wording.ts'

type Path = readonly PropertyKey[]

/** One mistake. */
export interface SettingMistake {
  readonly path: Path
  /** As `clock.mode`, or deeper than `path` where the schema has no place for what is inside; empty for the whole value. */
  readonly field: string
  readonly message: string
  /** True when the key is wrong, not what stands behind it. */
  readonly key: boolean
  /** True when nothing has such a key; the message then says which there are. */
  readonly unknown: boolean
}

/** More words than these are not listed beside the one that was meant. */
const mostListed = 8

/** The mistakes that one issue of a schema stands for. */
export function mistakesIn(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): SettingMistake[] {
  const key = issue.code === 'invalid_key'
  return locatedFindings(new z.ZodError([issue]), value).map(({ path, field, message, unknown, words }) => {
    if (unknown === true) {
      const known = [...new Set(keysAt(schema, path.slice(0, -1)))]
      const nearest = nearestWord(String(path.at(-1)), known)
      return { path, field: path.join('.'), message: nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`, key: true, unknown: true }
    }
    const input = valueAt(value, path)
    const nearest = words !== undefined && typeof input === 'string' ? nearestWord(input, words) : undefined
    const worded = nearest === undefined ? message : (words ?? []).length > mostListed ? `unknown word ${JSON.stringify(input)}; did you mean ${nearest}?` : `${message}; did you mean ${nearest}?`
    return { path, field, message: worded, key, unknown: false }
  })
}

/** The keys that an object may have at a path of the schema, in all of its forms. */
function keysAt(schema: unknown, path: Path): string[] {
  return formsOf(schema).flatMap((form): string[] => {
    const [part, ...rest] = path
    if (part === undefined) return form instanceof z.ZodObject ? Object.keys(form.shape) : []
    if (form instanceof z.ZodObject) return keysAt(form.shape[part as string], rest)
    if (form instanceof z.ZodRecord) return keysAt(form.valueType, rest)
    return form instanceof z.ZodArray ? keysAt(form.element, rest) : []
  })
}

function formsOf(schema: unknown): unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable || schema instanceof z.ZodLazy) return formsOf(schema.unwrap())
  if (schema instanceof z.ZodPipe) return formsOf(schema.in)
  return schema instanceof z.ZodUnion ? schema.options.flatMap(formsOf) : [schema]
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) at = at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[part] : undefined
  return at
}
