/** The page with what it knows, as one HTML file that opens without a server. */
import { scriptJson } from '../trace/fit-trace.ts'
import type { SavedTrace } from '../trace/trace.ts'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import { control } from './api.ts'

export async function savedPage(): Promise<string> {
  const trace = await control<SavedTrace>(undefined, 'GET', 'trace')
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
