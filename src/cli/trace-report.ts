/** Reports with all requests of a run: a HAR file, and the page with a saved trace. */
import { readFile } from 'node:fs/promises'
import type { SimulatorCore } from '../core/simulator.ts'
import { base64 } from '../engine/bytes.ts'
import { journalHar } from '../har/journal-har.ts'
import { ApiError } from '../protocol/errors.ts'
import { version } from '../text/version.ts'
import { collectTrace, type TracedRun, type TraceOptions } from '../trace/collect-trace.ts'
import { fitTrace } from '../trace/fit-trace.ts'
import { type ReadPreview, withMedia } from '../trace/media.ts'
import { maxMediaBytes, maxTraceBytes } from '../trace/trace.ts'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import type { TraceForm } from './output-files.ts'

/** The folder of the built page. The build says where it is from a chunk. */
declare const GATEWAY_SIM_PAGE: string
const folder = typeof GATEWAY_SIM_PAGE === 'undefined' ? '../../dist/ui/' : GATEWAY_SIM_PAGE

/** Sessions of a simulator, which may be closed. */
export interface ReportedRun extends TracedRun {
  readonly parts: TracedRun['parts'] & Pick<SimulatorCore, 'readMedia' | 'media'>
}

/** The text of such a report. */
export async function traceReport(
  form: TraceForm,
  runs: readonly ReportedRun[],
  options: TraceOptions,
): Promise<string> {
  if (form === 'har') return journalHar(entriesOf(runs), version)
  const trace = await withMedia(collectTrace(runs, options), previewsOf(runs))
  // Rendering starts a thread, which would keep the process alive.
  await Promise.all(runs.map(({ parts }) => parts.media.close()))
  return savedPage(fitTrace(trace, maxTraceBytes + maxMediaBytes))
}

/** The page with a trace as JSON. */
export async function savedPage(json: string): Promise<string> {
  return tracePage(await readPage(), json)
}

/** Reads the previews of sessions by their place: several may have one name. */
function previewsOf(runs: readonly ReportedRun[]): ReadPreview {
  const all = runs.flatMap(({ sessions, parts }) => sessions.map((session) => ({ session, parts })))
  return async (index, query) => {
    const { path, request, index: image } = Object.fromEntries(new URLSearchParams(query))
    const asked = {
      ...(path === undefined ? { request: Number(request), index: Number(image) } : { path }),
      preview: true,
    }
    const { session, parts } = all[index] as (typeof all)[number]
    try {
      const { body } = parts.readMedia(asked, session)
      if (body.kind !== 'media') return undefined
      const { bytes, type } = await parts.media.render(body.media)
      return `data:${type};base64,${base64(bytes)}`
    } catch (error) {
      // Evicted, expired, or not finished.
      if (error instanceof ApiError) return undefined
      throw error
    }
  }
}

/** The requests in the order of their arrival. */
function entriesOf(runs: readonly ReportedRun[]) {
  return runs
    .flatMap(({ sessions }) => sessions.flatMap(({ sandbox }) => sandbox.journal.kept()))
    .sort((a, b) => (a.realAt ?? a.at) - (b.realAt ?? b.at))
}

async function readPage(): Promise<PageFiles> {
  const files = Object.entries(pageFileNames).map(async ([part, name]) => [
    part,
    await readFile(new URL(folder + name, import.meta.url), 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(files)) as PageFiles
}
