/** How a response violates the schemas of its operation. */
import type * as z from 'zod'
import { firstOf, type LocatedError, locatedErrors } from '../protocol/field-errors.ts'
import { originMark, type PlainResponse } from '../protocol/response.ts'

type Schema = (() => z.ZodType | undefined) | undefined

export interface ResponseSchemas {
  readonly response?: Schema
  readonly event?: Schema
}

export interface Violations {
  /** The number of the event in a stream, from 0; undefined for a response in one body. */
  readonly event: number | undefined
  readonly errors: readonly LocatedError[]
}

/** The violations in a body, or in the first event that has some; undefined if there are none. */
export function violationsOf(schemas: ResponseSchemas, { body }: PlainResponse): Violations | undefined {
  if (body.kind === 'json') {
    // As the client will read it: after JSON serialisation, with absolute URLs.
    const value: unknown = JSON.parse(JSON.stringify(body.value).replaceAll(originMark, 'http://gateway'))
    return violations(schemas.response?.(), value, undefined)
  }
  if (body.kind !== 'events') return undefined
  const schema = schemas.event?.()
  for (const [index, event] of body.events.entries()) {
    // Raw frames of a script are not checked.
    if (event.data === '[DONE]' || event.raw !== undefined) continue
    const value: unknown = JSON.parse(event.data)
    if (value !== null && typeof value === 'object' && 'error' in value) continue
    const found = violations(schema, value, index)
    if (found !== undefined) return found
  }
  return undefined
}

function violations(
  schema: z.ZodType | undefined,
  value: unknown,
  event: number | undefined,
): Violations | undefined {
  const error = schema?.safeParse(value).error
  return error && { event, errors: firstOf(locatedErrors(error.issues, value), 20) }
}
