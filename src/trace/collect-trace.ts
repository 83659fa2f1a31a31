/** Collects what a trace has from sessions, including those that have ended. */

import { RecordedCall } from '../engine/journal-entry.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import { explainCall } from '../journal/explain-call.ts'
import { wireEntry } from '../journal/filter.ts'
import { clockState } from '../sessions/controls/clock.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import { listJobs } from '../sessions/controls/jobs.ts'
import { listScenarios } from '../sessions/controls/scenarios.ts'
import { version } from '../text/version.ts'
import { fitTrace } from './fit-trace.ts'
import { maxTraceBytes, type SavedTrace, type TraceSession } from './trace.ts'

type TraceParts = Pick<ControlParts, 'sessions' | 'settings' | 'clientReportOf'>

/** Sessions of one simulator. */
export interface TracedRun {
  readonly sandboxes: readonly Sandbox[]
  readonly parts: TraceParts
}

export interface TraceOptions {
  /** Milliseconds since the epoch by the wall clock. */
  readonly savedAt: number
  readonly title?: string
  /** What is known to be missing, as sentences. */
  readonly missing?: readonly string[]
}

/** The trace of these sessions as JSON, small enough for a page that opens at once. */
export function traceJson(
  runs: readonly TracedRun[],
  { savedAt, title, missing = [] }: TraceOptions,
): string {
  const counts = new Map<string, number>()
  const sessions = runs.flatMap(({ sandboxes, parts }) =>
    sandboxes.map((sandbox): TraceSession => {
      const count = (counts.get(sandbox.name) ?? 0) + 1
      counts.set(sandbox.name, count)
      return sessionOf(sandbox, count === 1 ? sandbox.name : `${sandbox.name} (${count})`, parts)
    }),
  )
  const evicted = sessions.reduce((sum, { first }) => sum + first, 0)
  const trace: SavedTrace = {
    format: 'gateway-sim trace 1',
    version,
    strict: runs[0]?.parts.settings.strict ?? false,
    savedAt: new Date(savedAt).toISOString(),
    title: title ?? null,
    sessions,
    cut: [...missing, ...(evicted === 0 ? [] : [`The journal had evicted ${evicted} older requests.`])],
  }
  return fitTrace(trace, maxTraceBytes)
}

function sessionOf(sandbox: Sandbox, name: string, parts: TraceParts): TraceSession {
  const entries = sandbox.journal.kept()
  const session = parts.sessions.find(sandbox.name)
  return {
    name,
    clock: clockState(sandbox),
    total: sandbox.journal.total,
    first: sandbox.journal.total - entries.length,
    entries: entries.map((entry) => ({
      ...wireEntry(entry),
      session: name,
      streamed: RecordedCall.isStream(entry),
    })),
    explanations: Object.fromEntries(entries.map((entry) => [entry.seq, explainCall(entry)])),
    jobs: listJobs(sandbox),
    clientReport: parts.clientReportOf(sandbox),
    scenarios: session?.sandbox === sandbox ? listScenarios(session) : [],
  }
}
