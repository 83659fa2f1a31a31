/** The button that saves what the page knows as one HTML file, which opens without a server. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { download } from './download.ts'
import { loadLater } from './load-later.tsx'
import { notice } from './state.ts'

export function SaveButton(): JSX.Element {
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      const name = `gateway-sim-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.html`
      const { savedPage } = await loadLater()
      download(await savedPage(), name, 'text/html')
    } catch (error) {
      notice.value = (error as Error).message
    }
    setBusy(false)
  }
  return (
    <button type="button" disabled={busy} onClick={save} title="Save all sessions as one HTML file">
      Save
    </button>
  )
}
