/** A job of the timeline: its fields now, and what can be done to it. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { JobChange, LiveCall } from '../../generated/control-types.ts'
import { control, fetchEntry, saved } from '../api.ts'
import { seenIn } from '../media/works.ts'
import { linkTo } from '../route.ts'
import { acting, attempt } from '../state.ts'
import { readJobs } from './jobs.ts'
import type { JobLane } from './lanes.ts'

const change = (id: string, body: JobChange): void =>
  void attempt(control(acting.value, 'POST', `jobs/${id}`, body).then(readJobs))

/** The word for a failure: the statuses of video operations are in capitals. */
const failedStatus = (kind: string): string => (kind === 'videoOperation' ? 'FAILED' : 'failed')

/** The prompt of the request that created the job. */
function usePrompt(maker: LiveCall | undefined): string {
  const [prompt, setPrompt] = useState('')
  useEffect(() => {
    if (maker === undefined) return
    fetchEntry(maker).then(
      (entry) => setPrompt(entry === undefined ? '' : seenIn(entry, false).prompt),
      () => setPrompt(''),
    )
  }, [maker?.session, maker?.seq])
  return prompt
}

export function JobPanel({ lane: { job, segments, polls, maker } }: { readonly lane: JobLane }): JSX.Element {
  const { id, kind, state, finished, notFound, next } = job
  const prompt = usePrompt(maker)
  const failed = failedStatus(kind)
  return (
    <article class="panel" aria-label={`${kind} ${id}`}>
      <a class="close" href={linkTo(['timeline'])} aria-label="Close">
        ×
      </a>
      <h2>
        {kind} <code>{id}</code>
      </h2>
      {prompt === '' ? null : <p class="prompt">{prompt}</p>}
      {maker === undefined ? null : (
        <p>
          Created by{' '}
          <a href={linkTo(['requests', maker.session, String(maker.seq)])}>
            {maker.operation} #{maker.seq}
          </a>
          .
        </p>
      )}
      <p>
        {finished ? 'Its timeline has ended.' : `Next change at ${next ?? 'the next poll'}.`}
        {` Requests for this job: ${polls.length}.`}
      </p>
      {saved === undefined ? (
        <fieldset class="copies" aria-label="Change the job">
          <button type="button" disabled={finished} onClick={() => change(id, { finished: true })}>
            Finish
          </button>
          <button
            type="button"
            disabled={segments.findLast(({ past }) => past)?.status === failed}
            onClick={() => change(id, { set: { status: failed } })}
          >
            Fail
          </button>
          <button type="button" onClick={() => change(id, { notFound: !notFound })}>
            {notFound ? 'Restore' : 'Respond with 404'}
          </button>
        </fieldset>
      ) : null}
      <pre>{JSON.stringify(state, null, 2)}</pre>
    </article>
  )
}
