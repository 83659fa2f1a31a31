/** The page with what it knows, as one HTML file that opens without a server. */
import { scriptJson } from '../trace/fit-trace.ts'
import { withMedia } from '../trace/media.ts'
import type { SavedTrace } from '../trace/trace.ts'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import { control, controlUrl, headersFor } from './api.ts'

export async function savedPage(): Promise<string> {
  const data = await control<SavedTrace>(undefined, 'GET', 'trace')
  const trace = await withMedia(data, (index, query) => previewOf(data.sessions[index]?.name, query))
  const files = await Promise.all(
    Object.entries(pageFileNames).map(
      async ([part, name]) => [part, await (await fetch(name)).text()] as const,
    ),
  )
  return tracePage(
    Object.fromEntries(files) as unknown as PageFiles,
    scriptJson({ ...trace, place: location.hash }),
  )
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
