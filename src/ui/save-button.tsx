/** Saves what the page knows as one HTML file that opens without a server. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { scriptJson } from '../trace/fit-trace.ts'
import { withMedia } from '../trace/media.ts'
import type { SavedTrace } from '../trace/trace.ts'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import { control, controlUrl, headersFor } from './api.ts'
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
  const data = await control<SavedTrace>(undefined, 'GET', 'trace')
  const trace = await withMedia(data, (index, query) => previewOf(data.sessions[index]?.name, query))
  const files = await Promise.all(
    Object.entries(pageFileNames).map(
      async ([part, name]) => [part, await (await fetch(name)).text()] as const,
    ),
  )
  return tracePage(Object.fromEntries(files) as unknown as PageFiles, scriptJson(trace))
}

async function previewOf(session: string | undefined, query: string): Promise<string | undefined> {
  const response = await fetch(controlUrl(`media?${query}&preview=true`), { headers: headersFor(session) })
  if (!response.ok) return undefined
  const blob = await response.blob()
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}
