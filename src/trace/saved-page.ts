/** The page with a trace as one HTML file, from the files of the built page. Only Node loads it. */
import { readFile } from 'node:fs/promises'
import { type PageFiles, pageFileNames, tracePage } from './trace-page.ts'

/** The folder of the built page. The build says where it is from a chunk. */
declare const GATEWAY_SIM_PAGE: string
const folder = typeof GATEWAY_SIM_PAGE === 'undefined' ? '../../dist/ui/' : GATEWAY_SIM_PAGE

/** The page with a trace as JSON. */
export async function savedPage(json: string): Promise<string> {
  const files = Object.entries(pageFileNames).map(async ([part, name]) => [
    part,
    await readFile(new URL(folder + name, import.meta.url), 'utf8'),
  ])
  return tracePage(Object.fromEntries(await Promise.all(files)) as PageFiles, json)
}
