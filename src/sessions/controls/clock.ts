/** `clock`: what the clock of a session shows, and how a `real` one is stopped and resumed. */
import * as z from 'zod'
import type { ClockMode } from '../../engine/clock.ts'
import { formatDuration } from '../../engine/duration.ts'
import { nextDue } from '../../engine/next-due.ts'
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'
import { implement } from './control.ts'

/** The state of a session's clock. */
export interface ClockState {
  readonly mode: ClockMode
  /** How many times faster than the wall clock it runs, in `real`. */
  readonly speed: number
  /** Whether a `real` clock has been stopped. */
  readonly frozen: boolean
  /** ISO 8601. */
  /** The virtual instant, ISO 8601. */
  readonly now: string
  /** The next instant at which something is due, ISO 8601; null if nothing is. */
  readonly next: string | null
  /** The time until `next` as a duration: `1m30s`. Null if nothing is due. */
  readonly in: string | null
  /** How many streams and replies wait for time to advance. */
  readonly pending: number
}

const instant = z.iso.datetime()
const iso = (at: number): string => new Date(at).toISOString()

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

/** Stops a `real` clock; the others stand still anyway. */
function freeze(world: World): ClockState {
  world.clock.freeze()
  return clockState(world)
}

/**
 * Lets a `real` clock go on. Throws `ApiError` (409) for a clock that does not move by itself, 400 for a
 * speed that cannot be.
 */
function resume(world: World, speed?: number): ClockState {
  const { mode } = world.clock
  if (mode !== 'real')
    throw new ApiError(
      'invalid_request_error',
      [
        `The clock of the session "${world.name}" is \`${mode}\` and does not run by itself:`,
        `${mode === 'manual' ? 'advance it' : 'each poll advances the resource it reads'}, or create a`,
        'session with the clock `real`.',
      ].join(' '),
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
export const clock = {
  now: implement<() => number>({ act: ({ session }) => session.world.clock.now() }),
  state: implement<() => ClockState>({
    act: ({ session }) => clockState(session.world),
    endpoint: { operation: 'sim.clock', summary: "The session's clock", reply: clockSchema },
  }),
  freeze: implement<() => ClockState>({
    act: ({ session }) => freeze(session.world),
    endpoint: {
      operation: 'sim.freeze',
      summary: 'Stops a `real` clock where it is; the others stand still anyway',
      reply: clockSchema,
    },
  }),
  resume: implement<(speed?: number) => ClockState>({
    act: ({ session }, speed) => resume(session.world, speed),
    endpoint: {
      operation: 'sim.resume',
      summary: 'Lets a `real` clock go on, at another speed when one is given',
      bodyOptional: true,
      body: z.strictObject({
        speed: z
          .number()
          .positive()
          .max(1_000_000)
          .optional()
          .describe('How much faster than the wall clock; as before when left out.'),
      }),
      argument: ({ speed }: { readonly speed?: number }) => speed,
      reply: clockSchema,
    },
  }),
}
