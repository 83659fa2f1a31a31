/** The button that saves what the page knows as one HTML file, which opens without a server. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { download } from './download.ts'
import { loadLater } from './load-later.tsx'
import { attempt } from './state.ts'

export function SaveButton(): JSX.Element {
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    const name = `gateway-sim-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.html`
    const page = await attempt(loadLater().then(({ savedPage }) => savedPage()))
    if (page !== undefined) download(page, name, 'text/html')
    setBusy(false)
  }
  return (
    <button type="button" disabled={busy} onClick={save} title="Save all sessions as one HTML file">
      Save
    </button>
  )
}
