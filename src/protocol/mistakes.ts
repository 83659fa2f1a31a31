/** What is wrong with a value that people write by hand (settings, options), with the word they meant. Knows no text and no files. */
import * as z from 'zod'
import { nearestWord } from './nearest-word.ts'
import { findings } from './wording.ts'

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

/** The mistakes that one issue of a schema stands for. */
export function mistakesIn(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): SettingMistake[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys.map((key) => {
      const nearest = nearestWord(key, known)
      return { path: [...issue.path, key], field: [...issue.path, key].join('.'), message: nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`, key: true, unknown: true }
    })
  }
  const input = valueAt(value, issue.path)
  const nearest = issue.code === 'invalid_value' && typeof input === 'string' ? nearestWord(input, issue.values.map(String)) : undefined
  const key = issue.code === 'invalid_key'
  return findings(new z.ZodError([issue]), value).map(({ field, message }) => ({
    path: issue.path,
    field,
    message: `${message}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    key,
    unknown: false,
  }))
}

/** The keys that an object may have at a path of the schema. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  let at: unknown = unwrapped(schema)
  for (const part of path) {
    if (at instanceof z.ZodObject) at = unwrapped(at.shape[part as string])
    else if (at instanceof z.ZodRecord) at = unwrapped(at.valueType)
    else if (at instanceof z.ZodArray) at = unwrapped(at.element)
    else return []
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

function unwrapped(schema: unknown): unknown {
  let at = schema
  while (at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodPrefault || at instanceof z.ZodNullable) at = at.unwrap()
  return at
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const part of path) at = at !== null && typeof at === 'object' ? (at as Record<PropertyKey, unknown>)[part] : undefined
  return at
}
