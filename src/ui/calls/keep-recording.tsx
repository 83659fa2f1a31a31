/** Keeps requests as a recording: a HAR file for `scenario from-recording`, `diff`, `check` and play-back. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { LiveCall } from '../../generated/control-types.ts'
import { control } from '../api.ts'
import { download } from '../download.ts'
import { notice } from '../state.ts'
import { listsOf } from './seq-lists.ts'

type Numbered = Pick<LiveCall, 'session' | 'seq' | 'ended'>

interface Har {
  readonly log: { readonly entries: readonly { readonly startedDateTime: string }[] }
}

export function KeepRecording({ calls }: { readonly calls: readonly Numbered[] }): JSX.Element {
  const [busy, setBusy] = useState(false)
  const keep = async (): Promise<void> => {
    setBusy(true)
    try {
      const ended = calls.filter((call) => call.ended !== 'open')
      if (ended.length === 0) throw new Error('No finished requests to record.')
      const [first] = ended
      const name = ended.length === 1 ? `${first?.session}-${first?.seq}` : 'requests'
      download(JSON.stringify(await recordingOf(ended)), `${name}.har`, 'application/json')
    } catch (error) {
      notice.value = (error as Error).message
    }
    setBusy(false)
  }
  return (
    <button
      type="button"
      class="needs-server"
      disabled={busy || calls.length === 0}
      onClick={keep}
      title={`Save ${calls.length === 1 ? 'this request' : 'the listed requests'} as a HAR file`}
    >
      Keep as recording
    </button>
  )
}

/** One file of the requests of all sessions, in the order of their virtual times. */
async function recordingOf(calls: readonly Numbered[]): Promise<Har> {
  const parts: Har[] = []
  for (const session of new Set(calls.map((call) => call.session))) {
    const numbers = calls.filter((call) => call.session === session).map(({ seq }) => seq)
    for (const seq of listsOf(numbers))
      parts.push(await control<Har>(session, 'GET', `journal?format=har&seq=${seq}`))
  }
  const [first, ...others] = parts as [Har, ...Har[]]
  const entries = [first, ...others].flatMap(({ log }) => log.entries)
  if (others.length > 0) entries.sort((a, b) => Date.parse(a.startedDateTime) - Date.parse(b.startedDateTime))
  return { log: { ...first.log, entries } }
}
