/** Errors of the control API as RFC 9457 problem documents, `application/problem+json`. */

import * as z from 'zod'
import type { Problem } from '../generated/control-types.ts'
import type { ApiError } from '../protocol/errors.ts'
import { int, text } from '../sessions/controls/fields.ts'

export const problemSchema = () =>
  z.strictObject({
    type: text('The type of error: `urn:gateway-sim:problem:not_found_error`.'),
    title: text('The title of the error type.'),
    status: int('The HTTP status.'),
    detail: text('The error and its remedy.'),
    instance: text('The URN of this request.'),
    errors: z
      .array(
        z.strictObject({
          detail: text('The error and the expected value.'),
          field: text('The path of the field.').optional(),
        }),
      )
      .describe('The individual errors; empty if `detail` covers everything.'),
  })

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'The control token is missing or invalid',
  403: 'Origin or host not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict with the current state',
  413: 'Body too large',
  415: 'Unsupported media type',
}

/** The maximum number of listed errors; `detail` counts the others. */
const maxErrors = 20

/** The body of a rejection. */
export function problemOf(error: ApiError, requestId: string): Problem {
  const status = error.options.status ?? error.status
  const { param, details = [] } = error.options
  const errors = details
    .slice(0, maxErrors)
    .map(({ message, field }) => ({ detail: message, field: field === '' ? undefined : field }))
  if (errors.length === 0 && param !== undefined) errors.push({ detail: error.message, field: param })
  return {
    type: `urn:gateway-sim:problem:${error.type}`,
    title: titles[status] ?? 'Rejected',
    status,
    detail: error.message,
    instance: `urn:gateway-sim:call:${requestId}`,
    errors,
  }
}

/** The body for an internal error. */
export function bugProblem(message: string, requestId: string): Problem {
  return {
    type: 'urn:gateway-sim:problem:simulator_bug',
    title: 'Internal error in gateway-sim',
    status: 500,
    detail: message,
    instance: `urn:gateway-sim:call:${requestId}`,
    errors: [],
  }
}
