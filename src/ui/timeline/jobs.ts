/** The jobs and streams of the session, for the views that show them. */

import { effect, signal } from '@preact/signals'
import { isStream } from '../../exchange/exchange.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import type { JobPage, JobState } from '../../generated/control-types.ts'
import { control, fetchEntry } from '../api.ts'
import { inOrder } from '../in-order.ts'
import { acting, calls, clockOfSelected } from '../state.ts'

/** The jobs of the session, read again after each change of the clock and each request. */
export const jobs = signal<readonly JobState[]>([])
/** The journal entries of streams, by session and `seq`. */
export const streams = signal<ReadonlyMap<string, JournalEntryJson>>(new Map())

const [pages, entries] = [inOrder(), inOrder()]

export async function readJobs(): Promise<void> {
  const page = control<JobPage>(acting.value, 'GET', 'jobs?limit=1000')
  await pages(page, (read) => (jobs.value = read.jobs)).catch(() => undefined)
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
      const read = readStreams(
        list.filter((call) => isStream(call) && call.session === acting.peek()).slice(-50),
      )
      void entries(read, (known) => (streams.value = known))
    }, 50)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

async function readStreams(
  list: readonly { readonly session: string; readonly seq: number }[],
): Promise<ReadonlyMap<string, JournalEntryJson>> {
  const known = new Map(streams.value)
  for (const call of list) {
    const key = `${call.session}/${call.seq}`
    if (known.get(key)?.ended !== undefined && known.get(key)?.ended !== 'open') continue
    const entry = await fetchEntry(call).catch(() => undefined)
    if (entry !== undefined) known.set(key, entry)
  }
  return known
}
