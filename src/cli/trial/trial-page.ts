/** The HTML report on a trial: its text above the saved page with the sessions of all runs. */

import { collectTrace, type TracedRun } from '../../trace/collect-trace.ts'
import { fitTrace } from '../../trace/fit-trace.ts'
import { savedPage } from '../../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace, type TraceEntry, type TraceSession } from '../../trace/trace.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import type { Trial } from '../../trial/report.ts'
import { titleOf } from '../../trial/trial.ts'

const healthyName = 'healthy run'

/** Collects the sessions of the runs as plain data, because the simulators end with their runs. */
export function createTrialPage() {
  const traces = new Map<ObservedRun, SavedTrace>()
  return {
    keep(run: ObservedRun, traced: TracedRun): void {
      traces.set(run, collectTrace([traced], { savedAt: 0 }))
    },
    /** `report` is its text; `savedAt` milliseconds since the epoch. */
    html: (trial: Trial, report: string, savedAt: number): Promise<string> =>
      savedPage(fitTrace({ ...traceOf(trial, traces, savedAt), report }, maxTraceBytes)),
  }
}

function traceOf(
  { version, command, healthy, cells }: Trial,
  traces: ReadonlyMap<ObservedRun, SavedTrace>,
  savedAt: number,
): SavedTrace {
  const first = traces.get(healthy)
  const fine = cells.filter(({ acceptable }) => acceptable)
  const sessions = cells.flatMap((one) => {
    const own = named(traces.get(one.run)?.sessions ?? [], titleOf(one.cell))
    return one.acceptable ? own.map(brief) : own
  })
  return {
    format: 'gateway-sim trace 1',
    version,
    strict: first?.strict ?? false,
    savedAt: new Date(savedAt).toISOString(),
    title: `trial of ${command.join(' ')}`,
    sessions: [...named(first?.sessions ?? [], healthyName), ...sessions],
    cut: [
      'Images and videos are not included.',
      ...(fine.length === 0 ? [] : ['Bodies and stream events of acceptable runs were omitted.']),
    ],
  }
}

/** The sessions of one run. The first has the name of the run. */
const named = (sessions: readonly TraceSession[], run: string): TraceSession[] =>
  sessions.map((session, index) => {
    const name = index === 0 ? run : `${run} / ${session.name}`
    return { ...session, name, entries: session.entries.map((entry) => ({ ...entry, session: name })) }
  })

const brief = (session: TraceSession): TraceSession => ({
  ...session,
  entries: session.entries.map(
    ({ request, response, ...entry }): TraceEntry => ({
      ...entry,
      request: { ...request, body: undefined },
      response: response && { ...response, body: undefined, events: response.events && [] },
    }),
  ),
})
