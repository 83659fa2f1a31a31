/** Virtual time as lanes: what happened, what is due, and the hand of the clock. */

import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isStream, statusOf } from '../../exchange/exchange.ts'
import type { LiveCall } from '../../generated/control-types.ts'
import { saved } from '../api.ts'
import { advance } from '../clock-bar.tsx'
import { nowBySecond } from '../now.ts'
import { linkTo, route } from '../route.ts'
import { acting, calls } from '../state.ts'
import { endHint, endLook, endWord } from '../stream-end.ts'
import { JobPanel } from './job-panel.tsx'
import { followJobs, jobs, streams } from './jobs.ts'
import {
  type JobLane,
  jobLanes,
  marksOf,
  maxLanes,
  type StreamLane,
  statusAt,
  streamLanes,
  timesOf,
} from './lanes.ts'
import { createScale, durationText, type Scale } from './scale.ts'

export function TimelineView(): JSX.Element {
  const [windowWidth, setWindowWidth] = useState(innerWidth)
  const [look, setLook] = useState<number>()
  useEffect(followJobs, [acting.value])
  useEffect(() => {
    const measure = (): void => setWindowWidth(innerWidth)
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const { scroller, onScroll } = useHandInSight()
  const now = nowBySecond.value
  if (now === undefined)
    return <p class="empty">The session has no clock yet: the clock starts with the first request.</p>
  const mine = calls.value.filter(({ session }) => session === acting.value)
  const lanes = jobLanes(jobs.value, mine, now)
  const all = mine.filter(isStream)
  const streamed = streamLanes(all, streams.value)
  const label = labelWidth(windowWidth)
  const scale = createScale(timesOf(lanes, streamed, mine, now), Math.max(220, windowWidth - label - 60))
  const [, kind, id] = route.value.parts
  const open = kind === 'job' ? lanes.find(({ job }) => job.id === id) : undefined
  const parts = { scale, now, look, setLook, lanes }
  return (
    <div class="timeline">
      <Controls {...parts} />
      <div class="lanes" ref={scroller} onScroll={onScroll} style={{ '--label': `${label}px` }}>
        <Axis {...parts} />
        {lanes.map((lane) => (
          <Job key={lane.job.id} lane={lane} {...parts} />
        ))}
        {streamed.map((lane) => (
          <Stream key={lane.call.seq} lane={lane} {...parts} />
        ))}
        <div class="lane">
          <span class="label">Requests</span>
          <div class="track" style={{ width: `${scale.width}px` }}>
            <Marks calls={mine} scale={scale} />
          </div>
        </div>
        <Hand x={scale.x(now)} label="now" />
        {look === undefined ? null : <Hand x={scale.x(look)} label="looking" />}
      </div>
      {lanes.length === 0 && streamed.length === 0 ? (
        <p class="empty">No jobs or streams in session {acting.value} yet.</p>
      ) : null}
      <Legend scale={scale} jobCount={jobs.value.length} streamCount={all.length} />
      {open === undefined ? null : <JobPanel key={id} lane={open} />}
    </div>
  )
}

/** The room to the right of the hand, in pixels. */
const handMargin = 30

/** Scrolls to the hand of the clock, until someone scrolls away from it. */
function useHandInSight() {
  const scroller = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const place = (): number => scroller.current?.querySelector<HTMLElement>('.hand.now')?.offsetLeft ?? 0
  useLayoutEffect(() => {
    const lanes = scroller.current
    if (lanes !== null && follows.current)
      lanes.scrollLeft = Math.max(lanes.scrollLeft, place() + handMargin - lanes.clientWidth)
  })
  const onScroll = ({ currentTarget: { scrollLeft, clientWidth } }: JSX.TargetedEvent<HTMLElement>): void => {
    follows.current = place() >= scrollLeft && place() <= scrollLeft + clientWidth
  }
  return { scroller, onScroll }
}

/** What the marks mean, and what is left out. */
function Legend({
  scale,
  jobCount,
  streamCount,
}: {
  readonly scale: Scale
  readonly jobCount: number
  readonly streamCount: number
}): JSX.Element {
  return (
    <div class="legend">
      {scale.folds.length === 0 ? null : <p>A dashed duration replaces a period without events.</p>}
      {jobCount > maxLanes ? <p>{`The latest ${maxLanes} of ${jobCount} jobs.`}</p> : null}
      {streamCount > maxLanes ? <p>{`The latest ${maxLanes} of ${streamCount} streams.`}</p> : null}
    </div>
  )
}

/** A label takes two lines on a phone. */
const labelWidth = (windowWidth: number): number => (windowWidth <= 760 ? 116 : 250)

interface Parts {
  readonly scale: Scale
  readonly now: number
  readonly look: number | undefined
  readonly setLook: (time: number | undefined) => void
  readonly lanes: readonly JobLane[]
}

function Controls({ now, look, setLook, lanes }: Parts): JSX.Element {
  const times = [...new Set(lanes.flatMap(({ segments }) => segments.map(({ from }) => from)))].sort(
    (a, b) => a - b,
  )
  const at = look ?? now
  const before = times.findLast((time) => time < at)
  const after = times.find((time) => time > at && time <= now)
  const due = lanes
    .flatMap(({ job, segments }) => segments.filter(({ past }) => !past).map((one) => ({ ...one, job })))
    .sort((a, b) => a.from - b.from)
    .at(0)
  return (
    <fieldset class="steps" aria-label="Steps through time">
      <button type="button" disabled={before === undefined} onClick={() => setLook(before)}>
        ◀ Change before
      </button>
      <button type="button" disabled={after === undefined} onClick={() => setLook(after)}>
        Change after ▶
      </button>
      <button type="button" disabled={look === undefined} onClick={() => setLook(undefined)}>
        Back to now
      </button>
      <span class="look">
        {look === undefined
          ? 'Looking back does not change the clock.'
          : new Date(look).toISOString().slice(11, 23)}
      </span>
      {saved === undefined ? (
        <button
          type="button"
          disabled={due === undefined}
          title={due && `${due.job.kind} ${due.job.id}: ${due.status} at ${new Date(due.from).toISOString()}`}
          onClick={() => due !== undefined && advance({ to: new Date(due.from).toISOString() })}
        >
          Advance to the next status
          {due && ` (${due.status}${remaining(due.from - now)})`}
        </button>
      ) : null}
    </fieldset>
  )
}

/** In whole seconds, and nothing once the time has come. */
const remaining = (ms: number): string => (ms > 0 ? ` in ${durationText(Math.ceil(ms / 1000) * 1000)}` : '')

/** The width of a time on the axis, in pixels. */
const timeWidth = 66

/** Whether a time is to the left of its mark: at the right edge, where the time before it leaves room. */
function isBefore({ ticks, width }: Scale, at: number): boolean {
  const place = ticks[at]?.x ?? 0
  return place > width - timeWidth && place - (ticks[at - 1]?.x ?? 0) >= 2 * timeWidth
}

/** Neighbours within one second show minutes, seconds and milliseconds. */
function tickText({ ticks }: Scale, at: number): string {
  const [before, text, after] = [at - 1, at, at + 1].map((one) => {
    const time = ticks[one]?.time
    return time === undefined ? '' : new Date(time).toISOString().slice(11, 23)
  }) as [string, string, string]
  const second = text.slice(0, 8)
  return before.startsWith(second) || after.startsWith(second) ? text.slice(3) : second
}

function Axis({ scale, setLook }: Parts): JSX.Element {
  return (
    <div class="lane axis">
      <span class="label">Virtual time</span>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons above do the same by keyboard */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: likewise */}
      <div
        class="track"
        style={{ width: `${scale.width}px` }}
        onClick={({ currentTarget, clientX }) =>
          setLook(scale.timeAt(clientX - currentTarget.getBoundingClientRect().left))
        }
      >
        {scale.ticks.map(({ x, time }, at) => (
          <span key={time} class={isBefore(scale, at) ? 'time before' : 'time'} style={{ left: `${x}px` }}>
            {tickText(scale, at)}
          </span>
        ))}
        {scale.folds.map(({ from, to, x }) => (
          <span
            key={from}
            class="fold"
            style={{ left: `${x}px` }}
            title={`No events for ${durationText(to - from)}, drawn shorter`}
          >
            {durationText(to - from)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The narrowest room for each character of a status in its segment, in pixels, and for the padding. */
const [characterWidth, segmentPadding] = [6.4, 12]

/** The style of a bar, whose part after `until` is still to come. */
function barStyle({ x }: Scale, from: number, to: number, until: number): JSX.CSSProperties {
  const [left, width] = [x(from), Math.max(3, x(to) - x(from))]
  return {
    left: `${left}px`,
    width: `${width}px`,
    '--gone': `${until < to ? Math.max(0, x(until) - left) : width}px`,
  } as JSX.CSSProperties
}

function Job({ lane, scale, now, look }: Parts & { readonly lane: JobLane }): JSX.Element {
  const { job, segments, polls, maker } = lane
  const status =
    look === undefined ? (segments.findLast(({ past }) => past)?.status ?? '') : statusAt(lane, look)
  const { progress } = job.state as { readonly progress?: unknown }
  const isPart = look === undefined && !job.finished && typeof progress === 'number'
  return (
    <div class="lane">
      <a class="label" href={linkTo(['timeline', 'job', job.id])} title={`${job.kind} ${job.id}`}>
        <span>
          {maker?.about || job.kind} <code>…{job.id.slice(-8)}</code>
        </span>
        <em class={`state s-${slug(status)}`}>
          {status}
          {isPart ? ` ${progress} %` : ''}
        </em>
      </a>
      <div class="track" style={{ width: `${scale.width}px` }}>
        {segments.map(({ from, to, status: name, past }) => (
          <span
            key={from}
            class={`segment s-${slug(name)} ${past ? '' : 'coming'}`}
            style={barStyle(scale, from, to, now)}
            title={`${name}${past ? '' : ', still to come'}, ${new Date(from).toISOString()}`}
          >
            {scale.x(to) - scale.x(from) >= name.length * characterWidth + segmentPadding ? name : ''}
          </span>
        ))}
        <Marks calls={polls} scale={scale} />
      </div>
    </div>
  )
}

function slug(status: string): string {
  if (/^(?:completed|succeeded|done)/i.test(status)) return 'good'
  return /fail|not found|expired|error/i.test(status) ? 'bad' : 'running'
}

function Stream({
  lane: { call, events, end },
  scale,
  now,
}: Parts & { readonly lane: StreamLane }): JSX.Element {
  const until = call.ended === 'open' ? now : end
  return (
    <div class="lane">
      <a class="label" href={linkTo(['stream', call.session, String(call.seq)])}>
        <span>
          {call.operation} <code>#{call.seq}</code>
        </span>
        <em class={`ended ${endLook(call)}`} title={endHint(call)}>
          {endWord(call)}
        </em>
      </a>
      <div class="track" style={{ width: `${scale.width}px` }}>
        <span class="bar" style={barStyle(scale, Date.parse(call.at), end, until)} />
        {events.slice(0, 400).map((time, at) => (
          <span
            key={at}
            class={at < (call.response?.eventCount ?? 0) ? 'event' : 'event coming'}
            style={{ left: `${scale.x(time)}px` }}
          />
        ))}
      </div>
    </div>
  )
}

function Marks({
  calls: list,
  scale,
}: {
  readonly calls: readonly LiveCall[]
  readonly scale: Scale
}): JSX.Element {
  return (
    <>
      {marksOf(list, scale.x).map(({ x, look, call, count, share }) => {
        const { seq, session, operation, response, request } = call
        const more = count === 1 ? '' : `, and ${count - 1} before it`
        return (
          <a
            key={`${look} ${x}`}
            class={`tick ${look}`}
            style={{ left: `${x}px`, '--share': share }}
            href={linkTo(['requests', session, String(seq)])}
            title={`#${seq} ${operation ?? request.url} → ${statusOf({ response })}${more}`}
          >
            <span class="hidden">
              Request {seq}: {operation ?? request.url}, {statusOf({ response })}
              {more}
            </span>
          </a>
        )
      })}
    </>
  )
}

function Hand({ x, label }: { readonly x: number; readonly label: string }): JSX.Element {
  return <span class={`hand ${label}`} style={{ left: `calc(var(--label) + ${x}px)` }} title={label} />
}
