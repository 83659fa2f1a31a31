/** Short durations without a unit: `delay: 3` is three milliseconds, and often seconds were meant. */
import * as z from 'zod'
import { isFields } from '../../engine/fields.ts'
import type { ScenarioMistake } from './shape.ts'

/** Longer ones can only be milliseconds. */
const leastPlain = 100

/** Takes the value as it is written, and a schema whose durations are marked. */
export function bareDurations(written: unknown, schema: z.ZodType): ScenarioMistake[] {
  const found = new Map<string, ScenarioMistake>()
  search(schema, written, [], (path, value) =>
    found.set(JSON.stringify(path), {
      path,
      key: false,
      message: `${value} is ${value} milliseconds: write ${value}ms, or ${value}s for seconds`,
    }),
  )
  return [...found.values()]
}

type Found = (path: readonly PropertyKey[], value: number) => void

function search(schema: unknown, value: unknown, path: readonly PropertyKey[], found: Found): void {
  if (value === undefined || value === null || typeof value === 'string') return
  if (!(schema instanceof z.ZodType)) return
  if (schema.meta()?.['$comment'] === 'duration') {
    if (typeof value === 'number' && value > 0 && value < leastPlain) found(path, value)
  } else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodLazy
  )
    search(schema.unwrap(), value, path, found)
  else if (schema instanceof z.ZodPipe) search(schema.in, value, path, found)
  else if (schema instanceof z.ZodUnion)
    for (const option of schema.options) search(option, value, path, found)
  else if (schema instanceof z.ZodArray && Array.isArray(value))
    for (const [index, item] of value.entries()) search(schema.element, item, [...path, index], found)
  else if (schema instanceof z.ZodObject && isFields(value))
    for (const [name, part] of Object.entries(value)) search(schema.shape[name], part, [...path, name], found)
}
