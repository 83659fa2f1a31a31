/** Collects what a trace has from sessions, including those that have ended. */

import { aboutOf } from '../exchange/about.ts'
import { explainRequest } from '../exchange/explain-call.ts'
import { entryJson } from '../exchange/plain.ts'
import { clockState } from '../sessions/controls/clock.ts'
import type { ControlParts } from '../sessions/controls/control.ts'
import { listJobs } from '../sessions/controls/jobs.ts'
import { listOverrides } from '../sessions/controls/overrides.ts'
import { listScenarios } from '../sessions/controls/scenarios.ts'
import type { SessionParts } from '../sessions/create.ts'
import { version } from '../text/version.ts'
import { fitTrace } from './fit-trace.ts'
import { maxTraceBytes, type SavedTrace, type TraceSession } from './trace.ts'

/** A session. One that was deleted or reset is described by the parts that it had. */
export type TracedSession = SessionParts

/** Sessions of one simulator. */
export interface TracedRun {
  readonly sessions: readonly TracedSession[]
  readonly parts: Pick<ControlParts, 'settings' | 'script' | 'clientReportOf' | 'vocabulary'>
}

export interface TraceOptions {
  /** Milliseconds since the epoch by the wall clock. */
  readonly savedAt: number
  readonly title?: string
  /** What is known to be missing, as sentences. */
  readonly missing?: readonly string[]
}

/** The trace of these sessions as JSON, small enough for a page that opens at once. */
export function traceJson(runs: readonly TracedRun[], options: TraceOptions): string {
  return fitTrace(collectTrace(runs, options), maxTraceBytes)
}

/** The same, not cut. */
export function collectTrace(
  runs: readonly TracedRun[],
  { savedAt, title, missing = [] }: TraceOptions,
): SavedTrace {
  const counts = new Map<string, number>()
  const sessions = runs.flatMap((run) =>
    run.sessions.map((session): TraceSession => {
      const { name } = session.sandbox
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return sessionOf(session, count === 1 ? name : `${name} (${count})`, run.parts)
    }),
  )
  const evicted = sessions.reduce((sum, { first }) => sum + first, 0)
  const [{ parts } = {}] = runs
  return {
    format: 'gateway-sim trace 1',
    version,
    strict: parts?.settings.strict ?? false,
    savedAt: new Date(savedAt).toISOString(),
    title: title ?? null,
    sessions,
    cut: [...missing, ...(evicted === 0 ? [] : [`The journal had evicted ${evicted} older requests.`])],
  }
}

function sessionOf(session: TracedSession, name: string, parts: TracedRun['parts']): TraceSession {
  const { sandbox } = session
  const entries = sandbox.journal.kept()
  return {
    name,
    clock: clockState(sandbox),
    total: sandbox.journal.total,
    first: sandbox.journal.total - entries.length,
    entries: entries.map((entry) => ({
      ...entryJson(entry),
      session: name,
      about: aboutOf(entry, parts.vocabulary.endpoint(entry.operation ?? '')),
    })),
    explanations: Object.fromEntries(entries.map((entry) => [entry.seq, explainRequest(entry)])),
    jobs: listJobs(sandbox),
    clientReport: parts.clientReportOf(sandbox),
    overrides: listOverrides(session),
    scenarios: listScenarios(session),
  }
}
