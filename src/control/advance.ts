/**
 * Moves the clock of one session and says what that passed over. The same for the library and the control
 * API.
 */
import { parseDuration } from '../engine/duration.ts'
import { endOfTime, parseInstant } from '../engine/instant.ts'
import type { FiredChange } from '../engine/store.ts'
import type { World } from '../engine/world.ts'
import { ApiError } from '../protocol/errors.ts'
import { show } from '../protocol/wording.ts'

export interface AdvanceRequest {
  /** A duration: `5s`, or milliseconds. */
  readonly by?: string | number | undefined
  /** An instant: ISO 8601, or milliseconds since the epoch. */
  readonly to?: string | number | undefined
  /** To the next thing that falls due, or until nothing does any more. */
  readonly until?: 'next' | 'idle' | undefined
  /** How far `until` may go: a duration, one day unless given. */
  readonly limit?: string | number | undefined
}

export interface AdvanceResult {
  /** Virtual instants, ISO 8601. */
  readonly from: string
  readonly now: string
  /** Changes of resources that the advance passed over, in order of time; at most 1,000. */
  readonly fired: readonly FiredChange[]
  /** Changes beyond those listed. */
  readonly more: number
  /** Stream events and the like that were let go. */
  readonly events: number
  /** The next instant at which something is due, or null. */
  readonly next: string | null
}

const listed = 1000
const day = 86_400_000
const steps = 100_000

/** Throws an `ApiError` (400) that names what to write. Time never goes backwards. */
export function advance(world: World, request: AdvanceRequest): AdvanceResult {
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

/** The earliest instant after `now` at which a resource changes or a stream goes on. */
export function nextDue(world: Pick<World, 'clock' | 'store'>, now: number): number | undefined {
  const resource = world.store.nextDue(now)
  const task = world.clock.nextDue()
  if (resource === undefined || task === undefined) return resource ?? task
  return Math.min(resource, task)
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
    `\`${param}\`: leads beyond ${iso(endOfTime)}, where virtual time ends.`,
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
