/** Reports with all requests of a run: a HAR file, and the page with a saved trace. */
import type { SimulatorCore } from '../core/simulator.ts'
import { base64 } from '../engine/bytes.ts'
import { journalHar } from '../exchange/journal-har.ts'
import { ApiError } from '../protocol/errors.ts'
import { version } from '../text/version.ts'
import { collectTrace, type TracedRun, type TraceOptions } from '../trace/collect-trace.ts'
import { fitTrace } from '../trace/fit-trace.ts'
import { type ReadPreview, withMedia } from '../trace/media.ts'
import { savedPage } from '../trace/saved-page.ts'
import { maxMediaBytes, maxTraceBytes } from '../trace/trace.ts'
import type { RequestFormat } from './output-files.ts'

/** Sessions of a simulator, which may be closed. */
export interface ReportedRun extends TracedRun {
  readonly parts: TracedRun['parts'] & Pick<SimulatorCore, 'readMedia' | 'media'>
}

/** The text of such a report. */
export async function traceReport(
  form: RequestFormat,
  runs: readonly ReportedRun[],
  options: TraceOptions,
): Promise<string> {
  if (form === 'har') return journalHar(entriesOf(runs), version)
  const trace = await withMedia(collectTrace(runs, options), previewsOf(runs))
  // Rendering starts a thread, which would keep the process alive.
  await Promise.all(runs.map(({ parts }) => parts.media.close()))
  return savedPage(fitTrace(trace, maxTraceBytes + maxMediaBytes))
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
