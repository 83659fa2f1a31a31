/** How an image job unfolds: running, its cost estimated, ended. Knows fields and instants, nothing of requests. */
import type { Random } from '../../engine/random.ts'
import type { Timeline, TimelineEntry } from '../../engine/timeline.ts'
import type { PlannedJob } from '../../protocol/plan.ts'
import { failed, running, succeeded, type ImageJobReply } from './image-job.ts'

export interface Course {
  readonly id: string
  /** Virtual milliseconds since the epoch, by the job's own time. */
  readonly bornAt: number
  /** Milliseconds from submission to result. */
  readonly duration: number
  /** How many pictures it makes. */
  readonly count: number
  readonly plan: PlannedJob
  /** Draws of what the job costs. */
  readonly cost: Random
}

/** The timeline of a job: the planned one, or the default with what the plan says about its end. */
export function courseOf(course: Course): Timeline {
  const { plan, duration } = course
  if (plan.timeline !== undefined) return plan.timeline
  const share = (percent: number): number => Math.round((duration * Math.min(100, Math.max(0, percent))) / 100)
  const end = plan.atOnce === true ? 0 : share(plan.failAt ?? 100)
  const estimateAt = share(25)
  const fastCost = course.cost.integer(80, 120) / 100
  const cost = (at: number, fee: number | null, fast: number): ImageJobReply['cost'] => ({ jobId: course.id, feeCost: fee, fastCost: fast, relaxCost: 0, costAt: new Date(course.bornAt + at).toISOString() })

  const entries: TimelineEntry[] = [{ at: 0, patch: { status: running, cost: null } }]
  if (plan.stuck === true || estimateAt < end) entries.push({ at: estimateAt, patch: { cost: cost(estimateAt, null, 1) } })
  if (plan.stuck !== true) {
    const failure = failureOf(plan, course.count)
    // A failed job costs nothing (wire-formats 7).
    if (failure === undefined) entries.push({ at: end, patch: { status: succeeded, cost: cost(end, Math.round(fastCost * 100), fastCost) } })
    else entries.push({ at: end, patch: { status: failed, comment: failure, cost: cost(end, 0, 0) } })
  }
  if (plan.vanishAt === undefined) return entries
  const vanishAt = share(plan.vanishAt)
  return [...entries.filter(({ at }) => at <= vanishAt), { at: vanishAt, gone: true }]
}

// The service's own words stand in `comment` as they are; of any other failure the readable half.
function failureOf(plan: PlannedJob, count: number): string | undefined {
  if (plan.failAt !== undefined || plan.failure !== undefined) {
    if (plan.failure === undefined) return 'JobStatusFail'
    return plan.failure.code.startsWith('JobStatus') ? plan.failure.code : plan.failure.message
  }
  const blocked = new Set(plan.blocked?.filter((index) => index < count))
  return blocked.size === count ? 'JobStatusReject' : undefined
}
