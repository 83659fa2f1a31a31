/**
 * `sim.clock`, `sim.advance`, `sim.freeze`, `sim.resume`: the clock of one session. The same for the library
 * and the control API.
 */
import * as z from 'zod'
import type { ClockMode } from '../engine/clock.ts'
import { formatDuration } from '../engine/duration.ts'
import type { World } from '../engine/world.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { json } from '../protocol/reply.ts'
import { show } from '../protocol/wording.ts'
import { advance, nextDue } from './advance.ts'
import { iso, own } from './control.ts'

/** The clock of a session at an instant. */
export interface ClockState {
  readonly mode: ClockMode
  /** How much faster than the wall clock, in `real`. */
  readonly speed: number
  /** Whether a `real` clock has been stopped. */
  readonly frozen: boolean
  /** ISO 8601. */
  readonly now: string
  /** When something is due next, ISO 8601; null when nothing is. */
  readonly next: string | null
  /** The same as a duration: `1m30s`. */
  readonly in: string | null
  /** How many streams and replies wait for time to pass. */
  readonly pending: number
}

const instant = z.iso.datetime()

/** @internal */
export const clockSchema = z.strictObject({
  mode: z.enum(['real', 'manual', 'auto']).describe('Who moves time.'),
  speed: z.number().describe('How much faster than the wall clock, in `real`.'),
  frozen: z.boolean().describe('Whether a `real` clock has been stopped.'),
  now: instant.describe('The present instant.'),
  next: instant.nullable().describe('When something is due next; null when nothing is.'),
  in: z.string().nullable().describe('The same as a duration.'),
  pending: z.int().describe('How many streams and replies wait for time to pass.'),
})

const advancedSchema = z.strictObject({
  from: instant.describe('The instant before.'),
  now: instant.describe('The instant after.'),
  fired: z
    .array(
      z.strictObject({
        at: instant,
        resource: z.string(),
        id: z.string(),
        from: z.unknown(),
        to: z.unknown(),
      }),
    )
    .describe('The changes that time passed over, at most 1,000.'),
  more: z.int().describe('How many changes are not listed.'),
  events: z.int().describe('How many events of streams were let go.'),
  next: instant.nullable().describe('When something is due next; null when nothing is.'),
})

/** What the clock shows. @internal */
export function clockState({ clock, store }: World): ClockState {
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

/** Stops a `real` clock; the others stand still anyway. @internal */
export function freeze(world: World): ClockState {
  world.clock.freeze()
  return clockState(world)
}

/**
 * Lets a `real` clock go on. Throws `ApiError` (409) for a clock that does not move by itself, 400 for a
 * speed that cannot be. @internal
 */
export function resume(world: World, speed?: number): ClockState {
  const { mode } = world.clock
  if (mode !== 'real')
    throw new ApiError(
      'invalid_request_error',
      `The clock of the session "${world.name}" is \`${mode}\` and does not run by itself: ${mode === 'manual' ? 'advance it' : 'each poll lets its own resource move on'}, or create a session with the clock \`real\`.`,
      { status: 409 },
    )
  if (speed !== undefined && !(typeof speed === 'number' && speed > 0 && speed <= 1_000_000))
    throw new ApiError(
      'invalid_request_error',
      `\`speed\`: expected a number above 0 and at most 1000000, got ${show(speed)}.`,
      { param: 'speed' },
    )
  world.clock.resume(speed)
  return clockState(world)
}

/** @internal */
export function clockEndpoints(): readonly Endpoint[] {
  const clock = defineEndpoint({
    ...own,
    operation: 'sim.clock',
    method: 'GET',
    path: '/__sim/clock',
    summary: "The session's clock",
    accepts: [],
    reply: clockSchema,
    act: (_call, { world }) => json(clockState(world)),
  })
  const advanceClock = defineEndpoint({
    ...own,
    operation: 'sim.advance',
    method: 'POST',
    path: '/__sim/clock/advance',
    summary: "Moves the session's clock forward by a duration, to an instant, or until something is due",
    accepts: ['json'],
    waitsForInFlight: true,
    body: z.strictObject({
      by: z.union([z.string(), z.number()]).optional().describe('A duration (`5s`), or milliseconds.'),
      to: z
        .union([z.string(), z.number()])
        .optional()
        .describe('An instant: ISO 8601, or milliseconds since the epoch.'),
      until: z
        .enum(['next', 'idle'])
        .optional()
        .describe('To what is due next, or until nothing is due any more.'),
      limit: z
        .union([z.string(), z.number()])
        .optional()
        .describe('How far `until` may go: a duration, one day unless given.'),
    }),
    reply: advancedSchema,
    act: ({ body }, { world }) => json(advance(world, body)),
  })
  const freezeClock = defineEndpoint({
    ...own,
    operation: 'sim.freeze',
    method: 'POST',
    path: '/__sim/clock/freeze',
    summary: 'Stops a `real` clock where it is; the others stand still anyway',
    accepts: [],
    reply: clockSchema,
    act: (_call, { world }) => json(freeze(world)),
  })
  const resumeClock = defineEndpoint({
    ...own,
    operation: 'sim.resume',
    method: 'POST',
    path: '/__sim/clock/resume',
    summary: 'Lets a `real` clock go on, at another speed when one is given',
    accepts: ['json'],
    bodyOptional: true,
    body: z.strictObject({
      speed: z
        .number()
        .positive()
        .max(1_000_000)
        .optional()
        .describe('How much faster than the wall clock; as before when left out.'),
    }),
    reply: clockSchema,
    act: ({ body }, { world }) => json(resume(world, body.speed)),
  })
  return [clock, advanceClock, freezeClock, resumeClock]
}
