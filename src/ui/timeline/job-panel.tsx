/** A job of the timeline: its fields now, and what can be done to it. */
import type { JSX } from 'preact'
import type { JobChange } from '../../generated/control-types.ts'
import { control, saved } from '../api.ts'
import { linkTo } from '../route.ts'
import { acting, notice } from '../state.ts'
import { readJobs } from './jobs.ts'
import type { JobLane } from './lanes.ts'

async function change(id: string, body: JobChange): Promise<void> {
  try {
    await control(acting.value, 'POST', `jobs/${id}`, body)
    await readJobs()
  } catch (error) {
    notice.value = (error as Error).message
  }
}

export function JobPanel({ lane: { job, polls } }: { readonly lane: JobLane }): JSX.Element {
  const { id, kind, state, finished, notFound, next } = job
  return (
    <article class="panel" aria-label={`${kind} ${id}`}>
      <a class="close" href={linkTo(['timeline'])} aria-label="Close">
        ×
      </a>
      <h2>
        {kind} <code>{id}</code>
      </h2>
      <p>
        {finished ? 'Its timeline has ended.' : `Next change at ${next ?? 'the next poll'}.`}
        {` ${polls.length} requests.`}
      </p>
      {saved === undefined ? (
        <fieldset class="copies" aria-label="Change the job">
          <button type="button" disabled={finished} onClick={() => change(id, { finished: true })}>
            Finish
          </button>
          <button type="button" onClick={() => change(id, { set: { status: 'failed' } })}>
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
