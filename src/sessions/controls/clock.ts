/** `clock`: shows, advances, stops and resumes the clock of a session. */

import * as z from 'zod'
import { endOfTime, formatDuration, parseDuration, parseTimestamp } from '../../engine/duration.ts'
import { nextDue, type Sandbox } from '../../engine/sandbox.ts'
import type { AdvanceRequest, AdvanceResult, ClockState, FiredChange } from '../../generated/control-types.ts'
import { show } from '../../protocol/wording.ts'
import { wrongField, wrongRequest } from '../session-errors.ts'
import type { Implementations } from './control.ts'
import { flag, int, text } from './fields.ts'
import type { controls } from './table.ts'

const timestamp = () => z.iso.datetime()
const iso = (at: number): string => new Date(at).toISOString()

const listed = 1000
/** How far `next` and `idle` go at most, in virtual milliseconds. */
const day = 86_400_000
const steps = 100_000

/**
 * Throws an `ApiError` (400) that names what to write. Time never goes backwards. While a breakpoint holds a
 * request, the advance waits. @internal
 */
function advanceSandbox(sandbox: Sandbox, request: AdvanceRequest): AdvanceResult {
  const { clock } = sandbox
  const from = clock.now()
  let now = from
  let events = 0
  let more = 0
  const fired: FiredChange[] = []
  const moveTo = (target: number): void => {
    events += clock.advanceTo(target)
    const reached = clock.halted ? Math.min(target, clock.now()) : target
    const passed = sandbox.store.changesBetween(now, reached, listed - fired.length)
    fired.push(...passed.fired)
    more += passed.more
    now = reached
  }

  const target = targetOf(request, from)
  const end = Math.min(from + day, endOfTime)
  let rest: AdvanceRequest | number = request.by === undefined ? (target ?? request) : request
  if (!clock.halted) {
    if (target !== undefined) moveTo(target)
    else
      for (let step = 0; step < steps && !clock.halted; step++) {
        const due = nextDue(sandbox, now)
        if (due === undefined || due > end) break
        moveTo(Math.max(due, now))
        if (request.to === 'next') break
      }
    rest = target ?? (request.to === 'next' ? now : { to: 'idle' })
  }
  // A breakpoint has halted the clock: the rest of the advance follows once it releases its request.
  if (clock.halted)
    clock.afterHalt(() =>
      advanceSandbox(sandbox, typeof rest === 'number' ? { to: Math.max(rest, clock.now()) } : rest),
    )
  const next = nextDue(sandbox, now)
  return { from: iso(from), now: iso(now), fired, more, events, next: next === undefined ? null : iso(next) }
}

/** Undefined for `next` and `idle`. */
function targetOf({ by, to }: AdvanceRequest, from: number): number | undefined {
  if ((by === undefined) === (to === undefined))
    throw wrongRequest(`Expected exactly one of \`by\` and \`to\`, got ${by === undefined ? 0 : 2}.`)
  if (by !== undefined) {
    const ms = parseDuration(by)
    if (ms === undefined)
      throw wrongField('by', `expected a duration such as 5s, 350ms or 1h30m, got ${show(by)}.`)
    return bounded(from + ms, 'by')
  }
  if (to === 'next' || to === 'idle') return undefined
  const at = parseTimestamp(to)
  if (at === undefined)
    throw wrongField(
      'to',
      `expected next, idle or an ISO 8601 timestamp such as 2026-01-01T00:00:00Z, got ${show(to)}.`,
    )
  if (at < from)
    throw wrongField('to', `time cannot go backwards: expected ${iso(from)} (now) or later, got ${show(to)}.`)
  return bounded(at, 'to')
}

function bounded(at: number, param: string): number {
  if (at <= endOfTime) return at
  throw wrongField(param, `is beyond ${iso(endOfTime)}, the end of virtual time.`)
}

/** @internal */
export const firedSchema = () =>
  z.strictObject({
    at: timestamp(),
    resource: z.string(),
    id: z.string(),
    from: z
      .unknown()
      .describe(
        'The previous status: `notFound` if clients got 404, null if the timeline had set no status.',
      ),
    to: z.unknown(),
  })

/** @internal */
export const resultSchema = () =>
  z.strictObject({
    from: timestamp().describe('The virtual time before the advance.'),
    now: timestamp().describe(
      'The virtual time after the advance. Earlier than requested if a breakpoint holds a request: the ' +
        'rest follows when the request is released.',
    ),
    fired: z
      .array(firedSchema())
      .describe('Resource changes that happened during the advance, in chronological order. At most 1,000.'),
    more: int('The number of changes that `fired` omits.'),
    events: int('The number of delayed stream events and responses that were sent.'),
    next: timestamp().nullable().describe('The time of the next due event or change; null if there is none.'),
  })

const time = () => z.union([z.string(), z.number()]).optional()

/** @internal */
export const advanceSchema = () =>
  z.strictObject({
    by: time().describe('The duration to advance by: `5s`, or milliseconds.'),
    to: time().describe(
      'The time to advance to: ISO 8601, milliseconds since the epoch, `next` (the next event or ' +
        'change) or `idle` (the time after which nothing is due), at most a day later.',
    ),
  })

/** @internal */
export const clockSchema = () =>
  z.strictObject({
    mode: z.enum(['real', 'manual', 'auto']).describe('The clock mode.'),
    speed: z.number().describe('Speed of a `real` clock relative to the wall clock.'),
    frozen: flag('Whether a `real` clock is stopped.'),
    now: timestamp().describe('The virtual time.'),
    next: timestamp().nullable().describe('The time of the next due event or change; null if there is none.'),
    in: z
      .string()
      .nullable()
      .describe('The time until `next` as a duration (`1m30s`); null if `next` is null.'),
    pending: int('The number of streams and responses that are waiting for time to advance.'),
  })

/** What the clock shows. @internal */
export function clockState({ clock, store }: Sandbox): ClockState {
  const now = clock.now()
  const next = nextDue({ clock, store }, now)
  return {
    mode: clock.mode,
    speed: clock.speed,
    frozen: clock.frozen,
    now: iso(now),
    next: next === undefined ? null : iso(next),
    in: next === undefined ? null : formatDuration(next - now),
    pending: clock.pending,
  }
}

/** Resumes a `real` clock. Throws `ApiError` (409) for another clock. */
function resume(sandbox: Sandbox): ClockState {
  const { mode } = sandbox.clock
  if (mode !== 'real')
    throw wrongRequest(
      `The clock of the session "${sandbox.name}" is \`${mode}\` and does not run by itself: ` +
        `${mode === 'manual' ? 'advance it' : 'each poll advances the job that it reads'}, or create a ` +
        'session with the clock `real`.',
      { status: 409 },
    )
  sandbox.clock.resume()
  return clockState(sandbox)
}

/** @internal */
export const clock: Implementations<(typeof controls)['clock']> = {
  now: { act: ({ session }) => session.sandbox.clock.now() },
  state: {
    act: ({ session }) => clockState(session.sandbox),
    endpoint: { operation: 'sim.getClock', summary: "Get the session's clock", response: clockSchema },
  },
  advance: {
    act: ({ session }, by) =>
      advanceSandbox(session.sandbox, typeof by === 'object' && by !== null ? by : { by }),
    endpoint: {
      operation: 'sim.advanceClock',
      summary: "Advance the session's clock by a duration, to a time, or until an event or change is due",
      body: advanceSchema,
      response: resultSchema,
    },
    tool: {
      name: 'clock',
      description: 'Advance the virtual clock. Without arguments: show the time and the next change.',
      input: () =>
        z.strictObject({
          by: z.string('expected a duration such as 10s').optional().describe('10s or 5m'),
          to: text('`next` change, `idle` (nothing is due), or ISO 8601').optional(),
        }),
      arguments: (input: AdvanceRequest) => [Object.keys(input).length === 0 ? { by: 0 } : input],
    },
  },
  freeze: {
    act({ session: { sandbox } }) {
      sandbox.clock.freeze()
      return clockState(sandbox)
    },
    endpoint: {
      operation: 'sim.freezeClock',
      summary: 'Stop a `real` clock (no effect on other clocks)',
      response: clockSchema,
    },
  },
  resume: {
    act: ({ session }) => resume(session.sandbox),
    endpoint: { operation: 'sim.resumeClock', summary: 'Resume a `real` clock', response: clockSchema },
  },
}
