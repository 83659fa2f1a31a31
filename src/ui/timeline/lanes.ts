/** The lanes of the timeline: jobs with their states and polls, streams, other requests. */
import type { JobState, LiveCall } from '../../generated/control-types.ts'

interface Segment {
  readonly from: number
  readonly to: number
  readonly status: string
  /** Whether it has begun. */
  readonly past: boolean
}

export interface JobLane {
  readonly job: JobState
  readonly segments: readonly Segment[]
  /** The requests that concern it. */
  readonly requests: readonly LiveCall[]
  /** The request that created it. */
  readonly maker: LiveCall | undefined
}

export function jobLanes(jobs: readonly JobState[], calls: readonly LiveCall[], now: number): JobLane[] {
  const requests = requestsByJob(new Set(jobs.map(({ id }) => id)), calls)
  return jobs.map((job) => {
    const own = requests.get(job.id) ?? []
    const maker = own.find(({ cause }) =>
      cause.transitions.some(({ id, from }) => id === job.id && from === null),
    )
    return { job, segments: segmentsOf(job, now), requests: own, maker }
  })
}

/** Changes that leave the status as it is, such as progress, are one segment. */
function segmentsOf({ timeline }: JobState, now: number): Segment[] {
  const segments: Segment[] = []
  timeline.forEach(({ at, status, notFound, past }, index) => {
    const from = Date.parse(at)
    const next = timeline[index + 1]?.at
    const to = next === undefined ? Math.max(now, from) : Date.parse(next)
    const word = notFound ? 'not found' : statusText(status)
    const last = segments.at(-1)
    if (last?.status === word) segments[segments.length - 1] = { ...last, to }
    else segments.push({ from, to, status: word, past })
  })
  return segments
}

/** The requests that concern each of these jobs: whose paths name it, or that have changed it. */
function requestsByJob(
  ids: ReadonlySet<string>,
  calls: readonly LiveCall[],
): ReadonlyMap<string, LiveCall[]> {
  const requests = new Map<string, LiveCall[]>()
  for (const call of calls) {
    const named = [...call.request.url.split(/[/:?&=]/), ...call.cause.transitions.map(({ id }) => id)]
    for (const id of new Set(named)) {
      if (!ids.has(id)) continue
      const list = requests.get(id) ?? []
      requests.set(id, list)
      list.push(call)
    }
  }
  return requests
}

/** The statuses of image jobs are numbers. */
const numbered = ['waiting', 'running', 'succeeded', 'failed']

const statusText = (status: unknown): string =>
  typeof status === 'number' ? (numbered[status] ?? String(status)) : String(status ?? '')

export function lookOf(status: string): 'good' | 'bad' | 'running' {
  if (/^(?:completed|succeeded|done)/i.test(status)) return 'good'
  return /fail|not found|expired|error/i.test(status) ? 'bad' : 'running'
}
