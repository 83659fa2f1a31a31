/** `clock.advance`: moves the clock of a session forward and lists what fell due. */
import * as z from 'zod'
import { parseDuration } from '../../engine/duration.ts'
import { endOfTime, parseInstant } from '../../engine/instant.ts'
import { nextDue } from '../../engine/next-due.ts'
import type { FiredChange } from '../../engine/store.ts'
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'
import type { Implementation } from './control.ts'

export interface AdvanceRequest {
  /** A duration: `5s`, or milliseconds. */
  readonly by?: string | number | undefined
  /** An instant: ISO 8601, or milliseconds since the epoch. */
  readonly to?: string | number | undefined
  /** `next`: to the next instant at which something is due. `idle`: until nothing is due any more. */
  readonly until?: 'next' | 'idle' | undefined
  /** The maximum advance with `until`, as a duration. Default: one day. */
  readonly limit?: string | number | undefined
}

export interface AdvanceResult {
  /** The virtual instant before the advance, ISO 8601. */
  readonly from: string
  /** The virtual instant after the advance, ISO 8601. */
  readonly now: string
  /** Resource changes that happened during the advance, in order of time; at most 1,000. */
  readonly fired: readonly FiredChange[]
  /** The number of further changes that `fired` does not list. */
  readonly more: number
  /** How many waiting stream events and replies were sent. */
  readonly events: number
  /** The next instant at which something is due, or null. */
  readonly next: string | null
}

const listed = 1000
const day = 86_400_000
const steps = 100_000

/** Throws an `ApiError` (400) that names what to write. Time never goes backwards. @internal */
function advanceWorld(world: World, request: AdvanceRequest): AdvanceResult {
  const from = world.clock.now()
  let now = from
  let events = 0
  let more = 0
  const fired: FiredChange[] = []
  const moveTo = (target: number): void => {
    events += world.clock.advanceTo(target)
    const passed = world.store.changesBetween(now, target, listed - fired.length)
    fired.push(...passed.fired)
    more += passed.more
    now = target
  }

  const target = targetOf(request, from)
  if (target !== undefined) {
    moveTo(target)
  } else {
    const end = Math.min(from + limitOf(request), endOfTime)
    for (let step = 0; step < steps; step++) {
      const due = nextDue(world, now)
      if (due === undefined || due > end) break
      moveTo(Math.max(due, now))
      if (request.until === 'next') break
    }
  }
  const next = nextDue(world, now)
  return { from: iso(from), now: iso(now), fired, more, events, next: next === undefined ? null : iso(next) }
}

const iso = (at: number): string => new Date(at).toISOString()

function targetOf({ by, to, until }: AdvanceRequest, from: number): number | undefined {
  const given = [by, to, until].filter((value) => value !== undefined).length
  if (given !== 1)
    throw new ApiError(
      'invalid_request_error',
      `Advance needs exactly one of \`by\`, \`to\` and \`until\`, got ${given}.`,
    )
  if (by !== undefined) {
    const ms = parseDuration(by)
    if (ms === undefined)
      throw new ApiError(
        'invalid_request_error',
        `\`by\`: expected a duration such as 5s, 350ms or 1h30m, got ${show(by)}.`,
        { param: 'by' },
      )
    return bounded(from + ms, 'by')
  }
  if (to !== undefined) {
    const at = parseInstant(to)
    if (at === undefined)
      throw new ApiError(
        'invalid_request_error',
        `\`to\`: expected an ISO 8601 instant such as 2026-01-01T00:00:00Z, got ${show(to)}.`,
        { param: 'to' },
      )
    if (at < from)
      throw new ApiError(
        'invalid_request_error',
        `\`to\`: time does not go backwards; now is ${iso(from)}, got ${show(to)}.`,
        { param: 'to' },
      )
    return bounded(Math.max(from, at), 'to')
  }
  return undefined
}

function bounded(at: number, param: string): number {
  if (at <= endOfTime) return at
  throw new ApiError(
    'invalid_request_error',
    `\`${param}\`: is beyond ${iso(endOfTime)}, the end of virtual time.`,
    { param },
  )
}

function limitOf({ limit }: AdvanceRequest): number {
  if (limit === undefined) return day
  const ms = parseDuration(limit)
  if (ms === undefined)
    throw new ApiError(
      'invalid_request_error',
      `\`limit\`: expected a duration such as 1h, got ${show(limit)}.`,
      { param: 'limit' },
    )
  return ms
}

const instant = z.iso.datetime()

const resultSchema = z.strictObject({
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
  events: z.int().describe('How many stream events were sent.'),
  next: instant.nullable().describe('When something is due next; null when nothing is.'),
})

/** @internal */
export const advance: Implementation<(by: string | number | AdvanceRequest) => AdvanceResult> = {
  act: ({ session }, by) => advanceWorld(session.world, typeof by === 'object' && by !== null ? by : { by }),
  endpoint: {
    operation: 'sim.advance',
    summary: "Moves the session's clock forward by a duration, to an instant, or until something is due",
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
        .describe('The maximum advance with `until`, as a duration. Default: one day.'),
    }),
    reply: resultSchema,
  },
}
