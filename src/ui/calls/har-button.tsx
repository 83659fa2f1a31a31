/** Saves requests as a HAR file, for `scenario from-recording`, `diff`, `check` and play-back. */
import type { JSX } from 'preact'
import { control, download } from '../api.ts'
import { attempt } from '../state.ts'

interface HarButtonProps {
  readonly session: string
  /** One request; all of the session without it. */
  readonly seq?: number
}

export function HarButton({ session, seq }: HarButtonProps): JSX.Element {
  const save = async (): Promise<void> => {
    const only = seq === undefined ? '' : `&seq=${seq}`
    const har = await attempt(control<unknown>(session, 'GET', `journal?format=har${only}`))
    const name = seq === undefined ? session : `${session}-${seq}`
    if (har !== undefined) download(JSON.stringify(har), `${name}.har`, 'application/json')
  }
  const what = seq === undefined ? `the requests of session ${session}` : 'this request'
  return (
    <button type="button" onClick={save} title={`Save ${what} as a HAR file`}>
      Save as HAR
    </button>
  )
}
