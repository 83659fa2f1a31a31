/** The lanes of the timeline: jobs with their states and polls, streams with their events, other requests. */
import { isStream } from '../../exchange/exchange.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import type { JobState, LiveCall } from '../../generated/control-types.ts'
import { statusText } from '../media/works.ts'
import { endLook } from '../stream-end.ts'

export interface Segment {
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
  readonly polls: readonly LiveCall[]
  /** The request that created it. */
  readonly maker: LiveCall | undefined
}

export interface StreamLane {
  readonly call: LiveCall
  /** The times of its events, if they are known. */
  readonly events: readonly number[]
  /** When it was cut, or the client left; otherwise the time of its last event. */
  readonly end: number
}

/** Lanes per kind; older ones are left out of the drawing. */
export const maxLanes = 200

export function jobLanes(jobs: readonly JobState[], calls: readonly LiveCall[], now: number): JobLane[] {
  const shown = jobs.slice(-maxLanes)
  const requests = requestsOf(new Set(shown.map(({ id }) => id)), calls)
  return shown.map((job) => {
    const changes = job.timeline.map((change) => ({ ...change, time: Date.parse(change.at) }))
    const all = changes.map(({ time, status, notFound, past }, at) => ({
      from: time,
      to: changes[at + 1]?.time ?? Math.max(now, time),
      status: notFound ? 'not found' : statusWord(status),
      past,
    }))
    const segments = joined(all)
    const polls = requests.get(job.id) ?? []
    const maker = polls.find(({ cause }) =>
      cause.transitions.some((one) => one.id === job.id && one.from === null),
    )
    return { job, segments, polls, maker }
  })
}

/** The requests that concern each of these jobs: whose paths name it, or that have changed it. */
function requestsOf(ids: ReadonlySet<string>, calls: readonly LiveCall[]): ReadonlyMap<string, LiveCall[]> {
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

/** Changes that leave the status as it is, such as progress, are one segment, which `now` can divide. */
function joined(all: readonly Segment[]): Segment[] {
  const segments: Segment[] = []
  for (const segment of all) {
    const last = segments.at(-1)
    if (last?.status === segment.status) segments[segments.length - 1] = { ...last, to: segment.to }
    else segments.push(segment)
  }
  return segments
}

/** The word for a number of the contract; a string as it is on the wire. */
const statusWord = (status: unknown): string =>
  typeof status === 'number' ? statusText(status) : String(status ?? '')

export function streamLanes(
  calls: readonly LiveCall[],
  entries: ReadonlyMap<string, JournalEntryJson>,
): StreamLane[] {
  return calls
    .filter(isStream)
    .slice(-maxLanes)
    .map((call) => {
      const begin = Date.parse(call.at)
      const entry = entries.get(`${call.session}/${call.seq}`)
      const events = (entry?.response?.events ?? []).map(({ at }) => begin + at)
      return { call, events, end: begin + (entry?.endedAfter ?? 0) }
    })
}

/** Requests that are too close together to be drawn one by one. */
export interface Mark {
  /** Pixels from the left edge. */
  readonly x: number
  /** The class of its colour. */
  readonly look: string
  /** The latest of them. */
  readonly call: LiveCall
  readonly count: number
  /** How many of the requests at its place have its look or one drawn above it, from 0 to 1. */
  readonly share: number
}

/** The narrowest distance between two marks, in pixels. */
const markDistance = 3

/** Requests as marks. Those with errors come last, and are drawn above the others. */
export function marksOf(calls: readonly LiveCall[], x: (time: number) => number): readonly Mark[] {
  const marks = new Map<string, Omit<Mark, 'share'>>()
  const totals = new Map<number, number>()
  for (const call of calls) {
    const place = Math.floor(x(Date.parse(call.at)) / markDistance) * markDistance
    const look = lookOf(call)
    const key = `${look} ${place}`
    const count = (marks.get(key)?.count ?? 0) + 1
    marks.set(key, { x: place, look, call, count })
    totals.set(place, (totals.get(place) ?? 0) + 1)
  }
  const below = new Map<number, number>()
  return [...marks.values()]
    .sort((a, b) => looks.indexOf(a.look) - looks.indexOf(b.look))
    .map((mark) => {
      const drawn = below.get(mark.x) ?? 0
      below.set(mark.x, drawn + mark.count)
      return { ...mark, share: 1 - drawn / (totals.get(mark.x) ?? 1) }
    })
}

const looks = ['c2', 'c4', 'c5', 'c0']

/** A broken response looks like an error, whatever its status. */
function lookOf(call: LiveCall): string {
  const look = endLook(call)
  if (look === 'disconnected' || look === 'broken') return 'c0'
  return look === 'aborted' ? 'c4' : `c${String(call.response?.status)[0]}`
}

/** All times that the axis must show. */
export function timesOf(
  jobs: readonly JobLane[],
  streams: readonly StreamLane[],
  calls: readonly LiveCall[],
  now: number,
): number[] {
  return [
    now,
    ...calls.map(({ at }) => Date.parse(at)),
    ...jobs.flatMap(({ segments }) => segments.flatMap(({ from, to }) => [from, to])),
    ...streams.flatMap(({ events, end }) => [events[0] ?? end, end]),
  ]
}

/** The state of a job at a time. */
export function statusAt({ segments }: JobLane, time: number): string {
  return segments.findLast(({ from }) => from <= time)?.status ?? 'not created'
}
