/** How the control API words a rejection: RFC 9457, `application/problem+json`. */

import * as z from 'zod'
import { lazy } from '../engine/fields.ts'
import type { Problem } from '../generated/control-types.ts'
import type { ApiError } from '../protocol/errors.ts'

export const problemSchema = lazy(() =>
  z.strictObject({
    type: z.string().describe('The kind of rejection, as `urn:gateway-sim:problem:not_found_error`.'),
    title: z.string().describe('The kind in words.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What was found, and what to change.'),
    instance: z.string().describe('Names this call.'),
    errors: z
      .array(
        z.strictObject({
          detail: z.string().describe('What was found, and what is expected.'),
          field: z.string().optional().describe('The field path it is about.'),
        }),
      )
      .describe('Each finding; empty when `detail` says it all.'),
  }),
)

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'The control token is missing or wrong',
  403: 'Not allowed from there',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict with the current state',
  413: 'Body too large',
  415: 'Unsupported media type',
}

/** How many findings a problem lists; `detail` says how many more there are. */
const maxErrors = 20

/** The body of a rejection. */
export function problemOf(error: ApiError, requestId: string): Problem {
  const status = error.options.status ?? error.status
  const { param, details = [] } = error.options
  const errors =
    details.length > 0
      ? details.slice(0, maxErrors).map(({ message, field }) => ({
          detail: message,
          ...(field === undefined || field === '' ? {} : { field }),
        }))
      : param === undefined
        ? []
        : [{ detail: error.message, field: param }]
  return {
    type: `urn:gateway-sim:problem:${error.type}`,
    title: titles[status] ?? 'Rejected',
    status,
    detail: error.message,
    instance: `urn:gateway-sim:call:${requestId}`,
    errors,
  }
}

/** The body that says that the simulator itself went wrong. */
export function bugProblem(message: string, requestId: string): Problem {
  return {
    type: 'urn:gateway-sim:problem:simulator_bug',
    title: 'The simulator itself went wrong',
    status: 500,
    detail: message,
    instance: `urn:gateway-sim:call:${requestId}`,
    errors: [],
  }
}
