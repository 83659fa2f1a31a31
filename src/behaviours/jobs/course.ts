/**
 * The course of a kind of job as a table, and the timelines that follow from it: of a submission, of a
 * planned failure, and of a job that a scenario gives in the middle of its course.
 */
import type { Fields } from '../../engine/fields.ts'
import { fold, insertEntry, type Timeline, type TimelineEntry } from '../../engine/timeline.ts'
import type { PlannedJob } from '../../protocol/plan.ts'
import type { GivenResource } from '../../protocol/scripted.ts'

/** What a job shows from submission to its end. The contract has no transitions; these are ours. */
export interface Course {
  /** The fields at submission, with the status. */
  readonly begins: Fields
  /** The changes on the way, at percentages of the duration. In `auto`, each poll shows the next. */
  readonly steps: readonly { readonly at: number; readonly patch: Fields }[]
  readonly succeeds: Fields
  fails(failure: PlannedJob['failure']): Fields
  /** The field of its progress in percent, if it has one: it moves from step to step. */
  readonly progress?: string
  /** The course of a job that falls back and starts over. Default: the same. */
  readonly again?: Course
}

/** The percentage at which the progress of a stuck job stays. */
const stuckAt = 50

const shareOf = (duration: number, percent: number): number =>
  Math.round((duration * Math.min(100, Math.max(0, percent))) / 100)

/**
 * The timeline of a submission. With `regressAt`, the job runs that share of its course, falls back, and runs
 * the whole course from there.
 */
export function timelineOf(course: Course, duration: number, plan: PlannedJob = {}): Timeline {
  const { timeline, regressAt, ...rest } = plan
  if (timeline !== undefined) return withInitialStatus(timeline, course.begins['status'])
  const from = rest.finished === true ? 0 : shareOf(duration, regressAt ?? 0)
  if (from === 0) return unfold(course, duration, rest)
  return [
    ...unfold(course, duration, {}).filter(({ at }) => at < from),
    ...unfold(course.again ?? course, duration, rest).map((entry) => ({ ...entry, at: entry.at + from })),
  ]
}

function unfold(course: Course, duration: number, plan: PlannedJob): Timeline {
  const { begins, steps, progress } = course
  const { failure, failAt, notFoundAt, stuck = false, finished = false } = plan
  const end = stuck && progress !== undefined ? stuckAt : (failAt ?? 100)
  const entries: TimelineEntry[] = [{ at: 0, patch: begins }]
  for (const [index, { at, patch }] of steps.entries()) {
    if (finished || at >= end) break
    const to = steps[index + 1]?.at ?? 100
    const over = shareOf(duration, to) - shareOf(duration, at)
    const entry = { at: shareOf(duration, at), patch }
    entries.push(progress === undefined ? entry : { ...entry, ramps: { [progress]: { from: at, to, over } } })
  }
  const last = (patch: Fields): TimelineEntry => ({
    at: finished ? 0 : shareOf(duration, end),
    patch: progress === undefined ? patch : { ...patch, [progress]: end },
  })
  const hasFailed = failAt !== undefined || failure !== undefined
  if (!stuck) entries.push(last(hasFailed ? course.fails(failure) : course.succeeds))
  else if (progress !== undefined) entries.push(last(steps.at(-1)?.patch ?? {}))
  if (notFoundAt === undefined) return entries
  const goneAt = shareOf(duration, notFoundAt)
  return [...entries.filter(({ at }) => at === 0 || at < goneAt), { at: goneAt, notFound: true }]
}

/**
 * A scripted timeline with an initial status added where it has none: lists of changes read only the
 * timeline.
 */
export function withInitialStatus(timeline: Timeline, status: unknown): Timeline {
  return timeline.some(
    ({ at, poll, patch }) => at === 0 && poll === undefined && patch?.['status'] !== undefined,
  )
    ? timeline
    : [{ at: 0, patch: { status } }, ...timeline]
}

/** The changes that follow from a change of the status of a job with progress and an error. */
export function followsStatus(course: Course, { status }: Fields, { error }: Fields): Fields {
  if (status === undefined) return {}
  const { begins, succeeds, progress = 'progress' } = course
  const had = error !== undefined && error !== null
  const { status: failed, ...failure } = course.fails(undefined)
  if (status === failed) return had ? {} : failure
  const changes: Record<string, unknown> = had ? { error: null } : {}
  if (status === succeeds['status']) changes[progress] = 100
  if (status === begins['status']) changes[progress] = 0
  return changes
}

interface PlacedJob {
  readonly timeline: Timeline
  /** Milliseconds since its birth. */
  readonly age: number
}

/**
 * The timeline and the age of a given job. A given timeline changes `fields` as it goes. Otherwise the job is
 * where its progress, its age, half of the duration or the first entry with its status puts it, and continues
 * from there; a status outside the course never changes.
 */
export function placeGiven(
  course: Course,
  duration: number,
  fields: Fields,
  { timeline: scripted, age }: GivenResource,
): PlacedJob {
  if (scripted !== undefined) {
    const first = Object.keys(fields).length === 0 ? [] : [{ at: 0, patch: fields }]
    return { timeline: [...first, ...scripted], age: age ?? 0 }
  }
  const { progress = '' } = course
  const { status, [progress]: percent, ...rest } = fields
  const way = [
    timelineOf(course, duration),
    timelineOf(course.again ?? course, duration),
    timelineOf(course, duration, { failAt: 100 }),
  ].find((timeline) => firstWith(status, timeline) !== undefined)
  const ofPercent = typeof percent === 'number' ? Math.ceil((duration * percent) / 100) : undefined
  const moment = [ofPercent, age, shareOf(duration, 50), way && firstWith(status, way)].find(
    (at) => at !== undefined && way !== undefined && fold(way, at).state['status'] === status,
  )
  if (way === undefined || moment === undefined)
    return { timeline: [{ at: 0, patch: fields }], age: age ?? 0 }
  const isShown = percent === undefined || fold(way, moment).state[progress] === percent
  const patch = isShown ? rest : { ...rest, [progress]: percent }
  const placed = shiftTimeline(way, (age ?? moment) - moment)
  return {
    timeline: Object.keys(patch).length === 0 ? placed : insertEntry(placed, { at: age ?? moment, patch }),
    age: age ?? moment,
  }
}

/** When a timeline first shows a status; undefined if it never does. */
const firstWith = (status: unknown, timeline: Timeline): number | undefined =>
  timeline.find(({ patch }) => patch?.['status'] === status)?.at

/**
 * The timeline with its changes after birth moved by `by` milliseconds. Those before birth have a negative
 * time: they have happened, and their ramps are under way.
 */
function shiftTimeline(timeline: Timeline, by: number): Timeline {
  return timeline.map((entry) => (entry.at === 0 ? entry : { ...entry, at: entry.at + by }))
}
