/** Saves what the page knows as one HTML file that opens without a server. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import { control } from './api.ts'
import { download } from './download.ts'
import { notice } from './state.ts'

export function SaveButton(): JSX.Element {
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      const name = `gateway-sim-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.html`
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

async function savedPage(): Promise<string> {
  const trace = await control(undefined, 'GET', 'trace')
  const files = await Promise.all(
    Object.entries(pageFileNames).map(
      async ([part, name]) => [part, await (await fetch(name)).text()] as const,
    ),
  )
  return tracePage(
    Object.fromEntries(files) as unknown as PageFiles,
    JSON.stringify(trace).replaceAll('<', String.raw`\u003c`),
  )
}
