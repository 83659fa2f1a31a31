/** What a command keeps of the requests of a run: counts, a few examples, and the sessions. */
import type { SimulatorCore } from '../../core/simulator.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { JournalEntry } from '../../exchange/exchange.ts'
import { isUnmatched } from '../../exchange/failed.ts'
import { nearestFirst, ruleSentence } from '../../exchange/rule-reasons.ts'
import type { ClientReport } from '../../generated/control-types.ts'
import { rejectionReason } from '../../protocol/wording.ts'
import type { TracedSession } from '../../trace/collect-trace.ts'
import { sourceOf } from '../call-log.ts'

/** Calls with something in common: how many, and the first ones as text. */
export interface CallGroup {
  readonly count: number
  readonly examples: readonly string[]
}

export interface OperationCount {
  readonly operation: string | undefined
  /** How many responses had each status, in the order of their first occurrence. 0 means no response. */
  readonly statuses: ReadonlyMap<number, number>
}

/** Bounds: clients can send as many requests, and name as many models, as they like. */
const maxExamples = 20
const maxSources = 100

/** Counts the requests of all sessions, in bounded memory. */
export class Tally {
  requests = 0
  /** Requests to unknown paths and, in strict mode, requests that match no rule. */
  readonly unmatched = new Examples()
  /** Requests rejected because of their content, not by a rule or a reserved value. */
  readonly rejected = new Examples()
  /** Requests that hit a bug in the simulator. */
  readonly bugs = new Examples()
  /** How many responses came from each rule, reserved value and fault. */
  readonly sources = new Map<string, number>()
  readonly #rules = new Set<string>()
  readonly #operations = new Map<string | undefined, Map<number, number>>()
  readonly #sessions = new Set<string>()

  record(entry: JournalEntry): void {
    const { operation, session, response, cause } = entry
    const { bug, decidedBy, rejection, violations, rule } = cause
    const status = response?.status ?? 0
    this.requests++
    this.#sessions.add(session)
    if (rule !== undefined) this.#rules.add(rule)
    const statuses = this.#operations.get(operation) ?? new Map<number, number>()
    this.#operations.set(operation, statuses)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const source = sourceOf(cause).join(', ')
    if (source !== '' && (this.sources.has(source) || this.sources.size < maxSources))
      this.sources.set(source, (this.sources.get(source) ?? 0) + 1)
    if (bug !== undefined) this.bugs.add(entry, () => `: ${bug.split('\n')[0] ?? ''}`)
    if (isUnmatched(entry)) this.unmatched.add(entry, () => nearestRuleOf(entry))
    else if (rejection !== undefined && decidedBy === undefined)
      this.rejected.add(entry, () => `: ${rejectionReason(rejection, violations, undefined)}`)
  }

  get sessions(): number {
    return this.#sessions.size
  }

  /** By name, unknown paths last. */
  operations(): readonly OperationCount[] {
    const counts = [...this.#operations].map(([operation, statuses]) => ({ operation, statuses }))
    return counts.sort((one, other) => ((one.operation ?? '~') < (other.operation ?? '~') ? -1 : 1))
  }

  /** Those of the rules that no request matched. */
  unused(ids: readonly string[]): CallGroup {
    const unused = ids.filter((id) => !this.#rules.has(id))
    return { count: unused.length, examples: unused.slice(0, maxExamples) }
  }
}

class Examples implements CallGroup {
  count = 0
  readonly examples: string[] = []

  add({ request, response, session }: JournalEntry, why: () => string): void {
    this.count++
    if (this.examples.length >= maxExamples) return
    // The signatures of upload URLs are long and differ between runs.
    const shown = request.url.replace(/\?.{60,}$/, '?...')
    const inSession = session === 'default' ? '' : ` [session ${session}]`
    this.examples.push(`${request.method} ${shown} got ${response?.status ?? 0}${inSession}${why()}`)
  }
}

function nearestRuleOf({ cause: { unmatched, considered = [] } }: JournalEntry): string {
  const [nearest] = unmatched ? nearestFirst(considered) : []
  return nearest === undefined ? '' : `; closest: ${ruleSentence(nearest)}`
}

export interface SessionReport extends Pick<ClientReport, 'findings' | 'uncheckedWaits' | 'unseen'> {
  readonly session: string
}

/** Findings that are kept of sessions that no longer exist. */
const maxFindings = 10_000

/** Follows the sessions of a run, also those that end before it does, in bounded memory. */
export function followSessions({
  sessions,
  settings,
  clientReportOf,
}: Pick<SimulatorCore, 'sessions' | 'settings' | 'clientReportOf'>) {
  const followed = new Map<Sandbox, TracedSession>()
  const endedReports: SessionReport[] = []
  let endedFindings = 0
  let ended = 0
  const reportOf = (sandbox: Sandbox): SessionReport => ({
    session: sandbox.name,
    ...clientReportOf(sandbox),
  })
  const collectEnded = (): void => {
    for (const sandbox of followed.keys()) {
      if (sessions.find(sandbox.name)?.sandbox === sandbox) continue
      followed.delete(sandbox)
      ended++
      const report = reportOf(sandbox)
      if (endedFindings < maxFindings && report.findings.length > 0) endedReports.push(report)
      endedFindings += report.findings.length
    }
  }
  return {
    record({ session }: JournalEntry): void {
      const found = sessions.find(session)
      if (found === undefined || followed.has(found.sandbox)) return
      // Only now and then, so that the cost per call stays negligible.
      if (followed.size >= 2 * settings.memory.sessions) collectEnded()
      const { sandbox, rules, settings: own } = found
      followed.set(sandbox, { sandbox, rules, settings: own })
    },
    /** The sessions of the run, as far as they are in memory. */
    followed: (): readonly TracedSession[] => [...followed.values()],
    /** How many are not. */
    ended: (): number => ended,
    reports: (): readonly SessionReport[] => [...endedReports, ...[...followed.keys()].map(reportOf)],
  }
}
