/** The HTML report on a trial: the saved page with the table of verdicts and the sessions of all runs. */

import { collectTrace, type TracedRun } from '../../trace/collect-trace.ts'
import { fitTrace } from '../../trace/fit-trace.ts'
import { savedPage } from '../../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace, type TraceEntry, type TraceSession } from '../../trace/trace.ts'
import type { SavedRun } from '../../trace/trial.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { type CommandFor, scenarioText, summaryOf, type Trial } from '../../trial/report.ts'
import { type JudgedCell, titleOf } from '../../trial/trial.ts'

const healthyName = 'healthy run'
/** Maximum number of characters kept from the stderr of a run. */
const maxErrorText = 1000

/** Collects the sessions of the runs as plain data, because the simulators end with their runs. */
export function createTrialPage() {
  const traces = new Map<ObservedRun, SavedTrace>()
  return {
    keep(run: ObservedRun, traced: TracedRun): void {
      traces.set(run, collectTrace([traced], { savedAt: 0 }))
    },
    /** `savedAt`: milliseconds since the epoch. */
    html: (report: Trial, again: CommandFor, savedAt: number): Promise<string> =>
      savedPage(fitTrace(traceOf(report, traces, { again, savedAt }), maxTraceBytes)),
  }
}

interface PageOptions {
  readonly again: CommandFor
  readonly savedAt: number
}

function traceOf(
  report: Trial,
  traces: ReadonlyMap<ObservedRun, SavedTrace>,
  { again, savedAt }: PageOptions,
): SavedTrace {
  const { version, command, healthy, planned, cells } = report
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
    draws: first?.draws ?? [],
    savedAt: new Date(savedAt).toISOString(),
    title: `trial of ${command.join(' ')}`,
    sessions: [...named(first?.sessions ?? [], healthyName), ...sessions],
    cut: [
      'Images and videos are not included.',
      ...(fine.length === 0 ? [] : ['Bodies and stream events of acceptable runs were omitted.']),
    ],
    trial: {
      summary: summaryOf(cells, planned),
      healthy: healthyName,
      runs: cells.map((one) => savedRun(one, again)),
    },
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

function savedRun({ cell, run, ...verdict }: JudgedCell, again: CommandFor): SavedRun {
  const { acceptable, reason, half, evidence } = verdict
  return {
    operation: cell.operation,
    failure: cell.failure.id,
    what: cell.failure.what,
    nth: cell.nth ?? null,
    verdict: verdict.verdict,
    acceptable,
    half,
    reason,
    evidence,
    exitCode: run.end.kind === 'exited' ? run.end.code : null,
    seconds: run.seconds,
    again: again(cell),
    scenario: acceptable ? null : scenarioText(cell),
    stderr: acceptable ? '' : run.stderr.slice(-maxErrorText),
    session: titleOf(cell),
  }
}
