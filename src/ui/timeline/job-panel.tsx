/** A job of the timeline: its fields now, and what can be done to it. */
import type { JSX } from 'preact'
import type { JobChange } from '../../generated/control-types.ts'
import { control, saved } from '../api.ts'
import { linkTo } from '../route.ts'
import { acting, attempt } from '../state.ts'
import { type JobLane, lookOf } from './lanes.ts'

/** The word for a failure: the statuses of video operations are in capitals. */
const failedStatus = (kind: string): string => (kind === 'videoOperation' ? 'FAILED' : 'failed')

interface JobPanelProps {
  readonly lane: JobLane
  reload(): void
}

export function JobPanel({ lane, reload }: JobPanelProps): JSX.Element {
  const { job, segments, requests, maker } = lane
  const { id, kind, state, finished, notFound, next } = job
  const isFailed = lookOf(segments.findLast(({ past }) => past)?.status ?? '') === 'bad'
  const change = (body: JobChange): void =>
    void attempt(control(acting.value, 'POST', `jobs/${id}`, body)).then(reload)
  return (
    <article class="panel" aria-label={`${kind} ${id}`}>
      <a class="close" href={linkTo(['timeline'])} aria-label="Close">
        ×
      </a>
      <h2>
        {kind} <code>{id}</code>
      </h2>
      {maker === undefined ? null : (
        <p>
          {maker.about}, created by{' '}
          <a href={linkTo(['requests', maker.session, String(maker.seq)])}>
            {maker.operation} #{maker.seq}
          </a>
        </p>
      )}
      <p>
        {finished ? 'Its timeline has ended.' : `Next change at ${next ?? 'the next poll'}.`}
        {` Requests for this job: ${requests.length}.`}
      </p>
      {saved === undefined ? (
        <div class="line">
          <button type="button" disabled={finished} onClick={() => change({ finished: true })}>
            Finish
          </button>
          <button
            type="button"
            disabled={isFailed}
            onClick={() => change({ set: { status: failedStatus(kind) } })}
          >
            Fail
          </button>
          <button type="button" onClick={() => change({ notFound: !notFound })}>
            {notFound ? 'Restore' : 'Respond with 404'}
          </button>
        </div>
      ) : null}
      <pre>{JSON.stringify(state, null, 2)}</pre>
    </article>
  )
}
