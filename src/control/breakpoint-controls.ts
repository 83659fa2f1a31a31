/** `sim.addBreakpoint`, …: requests that wait until they are released. */

import * as z from 'zod'
import type { ReleaseRequest } from '../generated/control-types.ts'
import { ApiError } from '../protocol/errors.ts'
import { clip } from '../protocol/wording.ts'
import { rejectUnknown } from '../sessions/controls/calls.ts'
import type { Implementations } from '../sessions/controls/control.ts'
import { int, text } from '../sessions/controls/fields.ts'
import type { Breakpoint, Breakpoints, Decision, HeldRequest } from './breakpoints.ts'
import { aboutNoSession, type ControlApiParts } from './control.ts'
import type { serverControls } from './table.ts'

const phase = () => z.enum(['request', 'response', 'event'])

export const breakpointSchema = () =>
  z.strictObject({
    id: text('The id.'),
    session: text('The session whose requests the breakpoint holds.'),
    operation: text('An operation, a group of operations (`videos.*`), or `*`.'),
    phase: phase().describe(
      '`request`: before the request is processed. `response`: before the response is sent. `event`: ' +
        'before each event of a stream.',
    ),
    left: z
      .int()
      .nullable()
      .describe('The number of requests left to hold; null for no limit. A stream counts once.'),
  })

const heldSchema = () =>
  z.strictObject({
    id: text('The id of the held request, needed to release it.'),
    breakpoint: text('The id of the breakpoint.'),
    session: z.string(),
    operation: z.string(),
    phase: phase(),
    method: z.string(),
    path: z.string(),
    request: z.string().nullable().describe('The body of the request.'),
    seq: z
      .int()
      .nullable()
      .describe('The number of the request in the journal; null until it has been processed.'),
    status: z.int().nullable().describe('The response status; null until the request has been processed.'),
    response: z
      .string()
      .nullable()
      .describe('The response body; null until the request has been processed, and for non-text bodies.'),
    event: z
      .strictObject({
        index: int('The number of preceding events.'),
        total: int('The number of events in the stream.'),
        event: z.string().nullable().describe('The name after `event:`; null if there is none.'),
        data: text('The text after `data:`; the text of the whole event if it has other fields.'),
      })
      .nullable()
      .describe('The next event of the stream; null in other phases.'),
  })

/** @internal */
export const breakpointStateSchema = () =>
  z.strictObject({
    breakpoints: z.array(breakpointSchema()).describe('The breakpoints, in order of creation.'),
    held: z.array(heldSchema()).describe('The held requests, in order of arrival.'),
  })

const wireBreakpoint = ({ id, session, operation, phase: at, left }: Breakpoint) => ({
  ...{ id, session, operation, phase: at, left: left ?? null },
})

const wireHeld = (held: HeldRequest) => ({
  ...{ id: held.id, breakpoint: held.breakpoint, session: held.sandbox.name, operation: held.operation },
  ...{ phase: held.phase, method: held.method, path: held.path, request: held.request ?? null },
  seq: held.entry?.seq ?? null,
  ...{ status: held.response?.status ?? null, response: held.response?.body ?? null },
  event: held.event === undefined ? null : { ...held.event, event: held.event.event ?? null },
})

/** All breakpoints and held requests, as `sim.listBreakpoints` and the feed send them. */
export const breakpointState = ({ armed, held }: Breakpoints) => ({
  breakpoints: armed.map(wireBreakpoint),
  held: held.map(wireHeld),
})

export const breakpointRequestSchema = () =>
  z.strictObject({
    operation: text('An operation, a group (`videos.*`), or `*` for all.'),
    phase: phase()
      .optional()
      .describe(
        '`request`: before the request is processed. `response` (the default): before the response ' +
          'is sent. `event`: before each event of a stream.',
      ),
    times: z.int().positive().optional().describe('The number of requests to hold. Default: all.'),
  })

export const releaseSchema = () =>
  z.strictObject({
    cut: z
      .literal(true)
      .optional()
      .describe('Closes the connection instead of sending the response or the event.'),
    status: z.int().min(200).max(599).optional().describe('The new status of the response.'),
    headers: z.record(z.string(), z.string()).optional().describe('Headers to add or replace.'),
    body: text('The new body of the response. Not allowed for streams and files.').optional(),
    data: text('The new data of the event. Allowed only in the phase `event`.').optional(),
    toEnd: z
      .literal(true)
      .optional()
      .describe('Sends all further events without holding them. Allowed only in the phase `event`.'),
  })

export const breakpoints: Implementations<(typeof serverControls)['breakpoints'], ControlApiParts> = {
  add: {
    act({ session, parts }, { operation, phase: at = 'response', times }) {
      rejectUnknown(operation, parts)
      return wireBreakpoint(parts.breakpoints.arm(session.sandbox.name, operation, at, times))
    },
    endpoint: {
      operation: 'sim.addBreakpoint',
      summary: 'Hold requests in the session, and stop its clock, until they are released',
      body: breakpointRequestSchema,
      response: breakpointSchema,
      status: 201,
    },
  },
  list: {
    act: ({ parts }) => breakpointState(parts.breakpoints),
    endpoint: {
      ...aboutNoSession,
      operation: 'sim.listBreakpoints',
      summary: 'List the breakpoints and the held requests of all sessions',
      response: breakpointStateSchema,
    },
  },
  remove: {
    act({ parts }, id) {
      const removed = parts.breakpoints.disarm(id)
      if (removed === undefined) throw missing('breakpoint', id)
      return wireBreakpoint(removed)
    },
    endpoint: {
      operation: 'sim.removeBreakpoint',
      summary: 'Remove a breakpoint; the requests that it holds continue',
      response: breakpointSchema,
    },
  },
  release: {
    act: ({ parts }, id, change) => release(parts.breakpoints, id, change),
    endpoint: {
      operation: 'sim.releaseRequest',
      summary: 'Release a held request: let it continue, cut its connection, or change what is sent next',
      bodyOptional: true,
      body: releaseSchema,
      response: () => z.strictObject({ released: text('The id.') }),
    },
  },
}

function release(breakpoints: Breakpoints, id: string, whole: ReleaseRequest): string {
  const held = breakpoints.held.find((one) => one.id === id)
  if (held === undefined) throw missing('held request', id)
  checkRelease(held, Object.keys(whole))
  const { cut, ...change } = whole
  const isChange = Object.keys(change).length > 0
  const next: Decision = isChange ? { action: 'change', ...change } : { action: 'continue' }
  breakpoints.release(id, cut === true ? { action: 'cut' } : next)
  return id
}

/** What a release may contain. */
const allowed: Readonly<Record<HeldRequest['phase'], { names: readonly string[]; text: string }>> = {
  request: { names: [], text: '`{}` (for a fault or another response, add an override first)' },
  response: { names: ['cut', 'status', 'headers', 'body'], text: '`cut`, `status`, `headers` or `body`' },
  event: { names: ['cut', 'data', 'toEnd'], text: '`cut`, `data` or `toEnd`' },
}

/** Rejects a release that its phase does not allow. */
function checkRelease({ phase: at, response }: HeldRequest, names: readonly string[]): void {
  const { names: possible, text: expected } = allowed[at]
  const wrong = names.find((name) => !possible.includes(name))
  if (wrong !== undefined)
    throw invalid(`\`${wrong}\`: not allowed in the phase \`${at}\`: expected ${expected}.`)
  if (names.includes('cut') && names.length > 1)
    throw invalid('Expected `cut` or changes to the response, got both.')
  if (names.includes('body') && response?.body === undefined)
    throw invalid('The body of this response is a stream or a file and cannot be changed.')
}

const invalid = (message: string): ApiError => new ApiError('invalid_request_error', message)

function missing(what: string, id: string): ApiError {
  return new ApiError(
    'not_found_error',
    `There is no ${what} ${JSON.stringify(clip(id, 80))}: list the ids with GET /__sim/breakpoints.`,
    { param: 'id' },
  )
}
