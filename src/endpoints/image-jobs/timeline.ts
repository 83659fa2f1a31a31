/**
 * The timelines of image jobs: running, cost estimated, ended.
 */

import { failed, running, succeeded, waiting } from '../../behaviours/image-jobs.ts'
import { plannedTimeline, withInitialStatus } from '../../behaviours/jobs/job.ts'
import type { Random } from '../../engine/random.ts'
import type { Timeline, TimelineEntry } from '../../engine/timeline.ts'
import type { PlannedJob } from '../../protocol/plan.ts'
import type { ImageJobReply } from './image-job.ts'

export interface TimelineOptions {
  /** Milliseconds from submission to result. */
  readonly duration: number
  /** How many images it makes. */
  readonly count: number
  readonly plan: PlannedJob
  /** The randomness of the cost. */
  readonly cost: Random
}

/** The percentage of the duration after which a waiting job runs. */
const waitingShare = 10

/**
 * The timeline of a job: the planned one, or the default with the planned end. A job that falls back waits
 * (contract section 3: status 0) before it runs again; otherwise clients would not see it in `status`.
 */
export function jobTimeline(course: TimelineOptions): Timeline {
  const { plan, duration } = course
  if (plan.timeline !== undefined) return withInitialStatus(plan.timeline, running)
  const fastCost = course.cost.integer(80, 120) / 100
  return plannedTimeline(plan, duration, (way, from) =>
    defaultTimeline({ ...course, plan: way }, fastCost, from > 0),
  )
}

/** The default timeline of a job that waits at first, which only scenarios can ask for. */
export function waitingTimeline(course: TimelineOptions): Timeline {
  return defaultTimeline(course, course.cost.integer(80, 120) / 100, true)
}

function defaultTimeline(course: TimelineOptions, fastCost: number, waits: boolean): Timeline {
  const { plan, duration } = course
  const share = (percent: number): number =>
    Math.round((duration * Math.min(100, Math.max(0, percent))) / 100)
  const end = plan.atOnce === true ? 0 : share(plan.failAt ?? 100)
  const estimateAt = share(25)
  // image-job.ts adds the other fields.
  const cost = (feeCost: number | null, fastCost: number): Partial<NonNullable<ImageJobReply['cost']>> => ({
    feeCost,
    fastCost,
  })

  const entries: TimelineEntry[] = [{ at: 0, patch: { status: waits ? waiting : running, cost: null } }]
  if (waits && share(waitingShare) < end)
    entries.push({ at: share(waitingShare), patch: { status: running } })
  if (plan.stuck === true || estimateAt < end)
    entries.push({ at: estimateAt, patch: { cost: cost(null, 1) } })
  if (plan.stuck !== true) {
    const failure = failureOf(plan, course.count)
    // A failed job costs nothing (wire-formats 7).
    if (failure === undefined)
      entries.push({
        at: end,
        patch: { status: succeeded, cost: cost(Math.round(fastCost * 100), fastCost) },
      })
    else entries.push({ at: end, patch: { status: failed, comment: failure, cost: cost(0, 0) } })
  }
  if (plan.vanishAt === undefined) return entries
  const vanishAt = share(plan.vanishAt)
  return [...entries.filter(({ at }) => at <= vanishAt), { at: vanishAt, gone: true }]
}

// `comment` has the service's own codes as they are; of other failures the readable message.
function failureOf(plan: PlannedJob, count: number): string | undefined {
  if (plan.failAt !== undefined || plan.failure !== undefined) {
    if (plan.failure === undefined) return 'JobStatusFail'
    return plan.failure.code.startsWith('JobStatus') ? plan.failure.code : plan.failure.message
  }
  const blocked = new Set(plan.blocked?.filter((index) => index < count))
  return blocked.size === count ? 'JobStatusReject' : undefined
}
