/** The jobs and streams of the session, for the views that show them. */
import { effect, signal } from '@preact/signals'
import type { JobPage, JobState } from '../../generated/control-types.ts'
import type { JournalEntryJson } from '../../journal/filter.ts'
import { control, fetchEntry } from '../api.ts'
import { inOrder } from '../follow.ts'
import { acting, calls, clockOfSelected } from '../state.ts'

/** The jobs of the session, read again after each change of the clock and each request. */
export const jobs = signal<readonly JobState[]>([])
/** The journal entries of streams, by session and `seq`. */
export const streams = signal<ReadonlyMap<string, JournalEntryJson>>(new Map())

const nextJobs = inOrder()
const nextStreams = inOrder()

export async function readJobs(): Promise<void> {
  const isNewest = nextJobs()
  const page = await control<JobPage>(acting.value, 'GET', 'jobs?limit=1000').catch(() => undefined)
  if (page !== undefined && isNewest()) jobs.value = page.jobs
}

/** Keeps `jobs` and the events of streams current while a view needs them. Returns how to stop. */
export function followJobs(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    clockOfSelected.value
    const list = calls.value
    clearTimeout(timer)
    timer = setTimeout(() => {
      void readJobs()
      void readStreams(
        list.filter(({ session, streamed }) => streamed && session === acting.peek()).slice(-50),
      )
    }, 50)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

async function readStreams(
  list: readonly { readonly session: string; readonly seq: number }[],
): Promise<void> {
  const isNewest = nextStreams()
  const known = new Map(streams.value)
  for (const call of list) {
    const key = `${call.session}/${call.seq}`
    if (known.get(key)?.ended !== undefined && known.get(key)?.ended !== 'open') continue
    const entry = await fetchEntry(call).catch(() => undefined)
    if (entry !== undefined) known.set(key, entry)
  }
  if (isNewest()) streams.value = known
}
