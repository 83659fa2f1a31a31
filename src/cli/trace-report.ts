/** Reports with all requests of a run: a HAR file, and the page with a saved trace. */
import { journalHar } from '../exchange/journal-har.ts'
import { version } from '../text/version.ts'
import { type TracedRun, type TraceOptions, traceJson } from '../trace/collect-trace.ts'
import { savedPage } from '../trace/saved-page.ts'
import type { RequestFormat } from './output-files.ts'

/** The text of such a report. */
export async function traceReport(
  form: RequestFormat,
  runs: readonly TracedRun[],
  options: TraceOptions,
): Promise<string> {
  if (form === 'har') return journalHar(entriesOf(runs), version)
  return savedPage(traceJson(runs, options))
}

/** The requests in the order of their arrival. */
function entriesOf(runs: readonly TracedRun[]) {
  return runs
    .flatMap(({ sessions }) => sessions.flatMap(({ sandbox }) => sandbox.journal.kept()))
    .sort((a, b) => (a.realAt ?? a.at) - (b.realAt ?? b.at))
}
