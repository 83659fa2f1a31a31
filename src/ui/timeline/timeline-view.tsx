/** Virtual time as lanes: what happened, what is due, and the present. */
import type { JSX } from 'preact'
import { isStream, statusOf } from '../../exchange/exchange.ts'
import type { JobList, LiveCall } from '../../generated/control-types.ts'
import { endHint, endLook, endWord } from '../calls/stream-end.ts'
import { useFollowed } from '../reads.ts'
import { linkTo, route } from '../route.ts'
import { acting, calls, now as virtualNow } from '../state.ts'
import { JobPanel } from './job-panel.tsx'
import { type JobLane, jobLanes, lookOf } from './lanes.ts'
import { createScale, durationText, type Scale } from './scale.ts'

/** The most lanes of jobs and of streams, and the most requests in a lane: the latest ones. */
const maxLanes = 100
const maxMarks = 300

/** The width of the column with the names, and of the margin. As in page.css. */
const labelWidth = 250
const margin = 90

export function TimelineView(): JSX.Element {
  const { value, reload } = useFollowed<JobList>('jobs')
  const now = virtualNow.value
  if (now === undefined)
    return <p class="empty">The session has no clock yet: the clock starts with the first request.</p>
  const own = calls.value.filter(({ session }) => session === acting.value)
  const jobs = value?.jobs ?? []
  const lanes = jobLanes(jobs.slice(-maxLanes), own, now)
  const allStreams = own.filter(isStream)
  const streams = allStreams.slice(-maxLanes)
  const scale = createScale(timesOf(lanes, own, now), Math.max(220, innerWidth - labelWidth - margin))
  const [, kind, id] = route.value.parts
  const open = kind === 'job' ? lanes.find(({ job }) => job.id === id) : undefined
  return (
    <div class="timeline">
      <div class="lanes">
        <Axis scale={scale} />
        {lanes.map((lane) => (
          <Job key={lane.job.id} lane={lane} scale={scale} />
        ))}
        {streams.map((call) => (
          <Stream key={call.seq} call={call} scale={scale} now={now} />
        ))}
        <div class="lane">
          <span class="label">Requests</span>
          <Track scale={scale}>
            <Marks calls={own} scale={scale} />
          </Track>
        </div>
        <span class="hand" style={{ left: `${labelWidth + scale.x(now)}px` }} title="now" />
      </div>
      {lanes.length + streams.length === 0 ? (
        <p class="empty">No jobs or streams in session {acting.value} yet.</p>
      ) : null}
      {scale.folds.length > 0 ? (
        <p class="soft">A dashed duration replaces a period without events.</p>
      ) : null}
      {Math.max(jobs.length, allStreams.length) > maxLanes ? (
        <p class="soft">The latest {maxLanes} jobs and streams are shown.</p>
      ) : null}
      {open === undefined ? null : <JobPanel key={id} lane={open} reload={reload} />}
    </div>
  )
}

/** All times that the axis must show. */
const timesOf = (jobs: readonly JobLane[], requests: readonly LiveCall[], now: number): number[] => [
  now,
  ...requests.flatMap(({ at, endedAfter }) => [Date.parse(at), Date.parse(at) + endedAfter]),
  ...jobs.flatMap(({ segments }) => segments.flatMap(({ from, to }) => [from, to])),
]

interface TrackProps {
  readonly scale: Scale
  readonly children: JSX.Element | readonly (JSX.Element | readonly JSX.Element[])[]
}

const Track = ({ scale, children }: TrackProps): JSX.Element => (
  <div class="track" style={{ width: `${scale.width}px` }}>
    {children}
  </div>
)

const timeText = (time: number): string => new Date(time).toISOString().slice(11, 23)

function Axis({ scale }: { readonly scale: Scale }): JSX.Element {
  return (
    <div class="lane axis">
      <span class="label">Virtual time</span>
      <Track scale={scale}>
        {scale.ticks.map(({ x, time }) => (
          <span key={time} class="time" style={{ left: `${x}px` }}>
            {timeText(time)}
          </span>
        ))}
        {scale.folds.map(({ from, to, x }) => (
          <span key={from} class="fold" style={{ left: `${x}px` }}>
            {durationText(to - from)}
          </span>
        ))}
      </Track>
    </div>
  )
}

/** The room for each character of a status in its segment, in pixels. */
const characterWidth = 7

function barStyle({ x }: Scale, from: number, to: number): JSX.CSSProperties {
  return { left: `${x(from)}px`, width: `${Math.max(3, x(to) - x(from))}px` }
}

function Job({ lane, scale }: { readonly lane: JobLane; readonly scale: Scale }): JSX.Element {
  const { job, segments, requests, maker } = lane
  const status = segments.findLast(({ past }) => past)?.status ?? ''
  const { progress } = job.state as { readonly progress?: unknown }
  return (
    <div class="lane">
      <a class="label" href={linkTo(['timeline', 'job', job.id])} title={`${job.kind} ${job.id}`}>
        <span>{maker?.about || job.kind}</span>
        <em class={`state ${lookOf(status)}`}>
          {status}
          {!job.finished && typeof progress === 'number' ? ` ${progress} %` : ''}
        </em>
      </a>
      <Track scale={scale}>
        {segments.map(({ from, to, status: name, past }) => (
          <span
            key={from}
            class={`segment ${lookOf(name)} ${past ? '' : 'coming'}`}
            style={barStyle(scale, from, to)}
            title={`${name}${past ? '' : ', still to come'}, ${timeText(from)}`}
          >
            {scale.x(to) - scale.x(from) >= name.length * characterWidth ? name : ''}
          </span>
        ))}
        <Marks calls={requests} scale={scale} />
      </Track>
    </div>
  )
}

interface StreamProps {
  readonly call: LiveCall
  readonly scale: Scale
  readonly now: number
}

function Stream({ call, scale, now }: StreamProps): JSX.Element {
  const { session, seq, operation, at, ended, endedAfter, about } = call
  const begin = Date.parse(at)
  const end = ended === 'open' ? now : begin + endedAfter
  return (
    <div class="lane">
      <a class="label" href={linkTo(['requests', session, String(seq)])}>
        <span>{about || operation}</span>
        <em class={endLook(call)} title={endHint(call)}>
          {endWord(call)}
        </em>
      </a>
      <Track scale={scale}>
        <span class="bar" style={barStyle(scale, begin, end)} />
        <Marks calls={[call]} scale={scale} />
      </Track>
    </div>
  )
}

interface MarksProps {
  readonly calls: readonly LiveCall[]
  readonly scale: Scale
}

function Marks({ calls: list, scale }: MarksProps): JSX.Element {
  return (
    <>
      {list.slice(-maxMarks).map((call) => {
        const { seq, session, operation, request } = call
        const text = `Request ${seq}: ${operation ?? request.url}, ${statusOf(call)}`
        return (
          <a
            key={seq}
            class={`tick c${String(statusOf(call))[0]}`}
            style={{ left: `${scale.x(Date.parse(call.at))}px` }}
            href={linkTo(['requests', session, String(seq)])}
            title={text}
          >
            <span class="hidden">{text}</span>
          </a>
        )
      })}
    </>
  )
}
