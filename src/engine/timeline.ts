/**
 * The state of a resource at a time, as a pure function of its timeline: no timer per job, so a million
 * waiting jobs cost nothing and a jump by a day is exact.
 */

/** A number that moves linearly from one value to another; `over` is in milliseconds. */
export interface Ramp {
  readonly from: number
  readonly to: number
  readonly over: number
}

/** One change: from `at` milliseconds after birth the patch is merged shallowly; null sets null. */
export interface TimelineEntry {
  readonly at: number
  /** Instead of `at`, which is 0 then: the poll, counted from 1, that shows it first. */
  readonly poll?: number
  readonly patch?: Readonly<Record<string, unknown>>
  readonly ramps?: Readonly<Record<string, Ramp>>
  /** Fields to remove, until a later entry sets them. */
  readonly unset?: readonly string[]
  /** Fields to reset to their defaults. */
  readonly reset?: readonly string[]
  /** The resource is in the state notFound (404) until the next entry. */
  readonly notFound?: boolean
}

export type Timeline = readonly TimelineEntry[]

export interface FoldedState {
  /** The merged fields, including removed ones. */
  readonly state: Readonly<Record<string, unknown>>
  /** The removed fields. */
  readonly unset: readonly string[]
  readonly notFound: boolean
  /** How many entries apply. */
  readonly reached: number
}

/** The state `elapsed` milliseconds after birth. Entries apply in the order of the list, which is by `at`. */
export function fold(timeline: Timeline, elapsed: number): FoldedState {
  const state: Record<string, unknown> = {}
  // Made when first needed: a poll folds several times, and most jobs have neither.
  let ramps: Map<string, { readonly ramp: Ramp; readonly start: number }> | undefined
  let hidden: Set<string> | undefined
  let notFound = false
  let reached = 0
  for (const entry of timeline) {
    if (entry.at > elapsed) break
    reached++
    notFound = entry.notFound === true
    for (const field in entry.patch) {
      state[field] = entry.patch[field]
      ramps?.delete(field)
      hidden?.delete(field)
    }
    for (const field of entry.reset ?? none) {
      delete state[field]
      ramps?.delete(field)
      hidden?.delete(field)
    }
    for (const field in entry.ramps) {
      ramps ??= new Map()
      ramps.set(field, { ramp: entry.ramps[field] as Ramp, start: entry.at })
      hidden?.delete(field)
    }
    for (const field of entry.unset ?? none) hidden = (hidden ?? new Set()).add(field)
  }
  if (ramps !== undefined)
    for (const [field, { ramp, start }] of ramps) state[field] = rampValue(ramp, elapsed - start)
  return { state, unset: hidden === undefined ? none : [...hidden], notFound, reached }
}

const none: readonly string[] = []

/** The time of the next entry after `elapsed`; undefined when none follows. */
export function nextEntryAt(timeline: Timeline, elapsed: number): number | undefined {
  return timeline.find((entry) => entry.at > elapsed)?.at
}

/** The time of the last entry, after which the resource no longer changes. */
export function endOfTimeline(timeline: Timeline): number {
  return timeline.at(-1)?.at ?? 0
}

/** The timeline with one more entry, sorted in by time, behind entries of the same time. */
export function insertEntry(timeline: Timeline, entry: TimelineEntry): Timeline {
  const before = timeline.filter((other) => other.at <= entry.at)
  return [...before, entry, ...timeline.slice(before.length)]
}

// Truncated, because the fields that move are counts and percentages.
function rampValue(ramp: Ramp, elapsed: number): number {
  if (elapsed >= ramp.over) return ramp.to
  return ramp.from + Math.trunc(((ramp.to - ramp.from) * elapsed) / ramp.over)
}
