/** Reports with all requests of a run: a HAR file, and the page with a saved trace. */
import { readFile } from 'node:fs/promises'
import type { Sandbox } from '../engine/sandbox.ts'
import { journalHar } from '../har/journal-har.ts'
import { version } from '../text/version.ts'
import { type TracedRun, type TraceOptions, traceJson } from '../trace/collect-trace.ts'
import { type PageFiles, pageFileNames, tracePage } from '../trace/trace-page.ts'
import type { TraceForm } from './output-files.ts'

/** The folder of the built page. The build says where it is from a chunk. */
declare const GATEWAY_SIM_PAGE: string
const folder = typeof GATEWAY_SIM_PAGE === 'undefined' ? '../../dist/ui/' : GATEWAY_SIM_PAGE

/** The text of such a report. */
export async function traceReport(
  form: TraceForm,
  runs: readonly TracedRun[],
  options: TraceOptions,
): Promise<string> {
  if (form === 'har')
    return journalHar(
      runs.flatMap(({ sandboxes }) => entriesOf(sandboxes)),
      version,
    )
  return tracePage(await readPage(), traceJson(runs, options))
}

/** The requests in the order of their arrival. */
function entriesOf(sandboxes: readonly Sandbox[]) {
  return sandboxes
    .flatMap(({ journal }) => journal.kept())
    .sort((a, b) => (a.realAt ?? a.at) - (b.realAt ?? b.at))
}

async function readPage(): Promise<PageFiles> {
  const files = Object.entries(pageFileNames).map(async ([part, name]) => [
    part,
    await readFile(new URL(folder + name, import.meta.url), 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(files)) as PageFiles
}
