/** The used rules and client reports of all sessions of a run, including deleted ones. */

import type { SimulatorCore } from '../../core/simulator.ts'
import { grouped } from '../../engine/fields.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { Finding, Severity } from '../../generated/control-types.ts'
import { evidenceText } from '../../judges/client-report-text.ts'
import type { Item } from '../../report/report.ts'
import { answeredTimes } from '../../scenario/director.ts'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { counted } from '../../text/printable.ts'
import type { TracedSession } from '../../trace/collect-trace.ts'

/** Calls with something in common: how many, and the first ones as text. */
export interface CallGroup {
  readonly count: number
  readonly examples: readonly string[]
}

/** Which rules matched during a run, in any session, including deleted ones. */
export interface RuleCount {
  readonly count: number
  readonly unused: readonly string[]
}

/** A rule; rules of the same scenario in several sessions are one. */
interface KnownRule {
  readonly id: string
  /** The title of its scenario and the first session with it; undefined for rules of every session. */
  readonly own: { readonly title: string; readonly session: string } | undefined
  /** Whether several sessions had it. */
  shared: boolean
  used: boolean
}

const maxRules = 10_000

/** Follows the rules of a simulator from now on. The returned function counts them. */
export function followRules({
  sessions,
  script,
  onRulesGone,
}: Pick<SimulatorCore, 'sessions' | 'script' | 'onRulesGone'>): () => RuleCount {
  const known = new Map<string, KnownRule>()
  const update = (set: ScenarioSet, sandbox: Sandbox | undefined, everywhere: boolean): void => {
    let at = 0
    for (const {
      spec: { title, rules = [] },
    } of set.scenarios) {
      for (const id of set.book.ids.slice(at, (at += rules.length))) {
        const key = everywhere ? id : `${id}\n${title}`
        let rule = known.get(key)
        if (rule === undefined) {
          if (!everywhere && known.size >= maxRules) continue
          rule = {
            id,
            own: sandbox === undefined || everywhere ? undefined : { title, session: sandbox.name },
            shared: false,
            used: false,
          }
          known.set(key, rule)
        }
        if (sandbox !== undefined && answeredTimes(sandbox, id) > 0) rule.used = true
        if (rule.own?.session !== sandbox?.name) rule.shared = true
      }
    }
  }
  const updateSession = (own: readonly ScenarioSet[], sandbox: Sandbox): void => {
    if (shared !== undefined) update(shared, sandbox, true)
    for (const set of own) update(set, sandbox, false)
  }
  // They count even if nothing is called.
  const shared = script()
  if (shared !== undefined) update(shared, undefined, true)
  onRulesGone(updateSession)
  return () => {
    for (const { sandbox, rules } of sessions.all()) updateSession(rules.scenarios, sandbox)
    const rules = [...known.values()]
    return { count: rules.length, unused: rules.filter(({ used }) => !used).map(describeRule) }
  }
}

function describeRule({ id, own, shared }: KnownRule): string {
  if (own === undefined) return id
  const where = shared ? 'in several sessions' : `in session ${own.session}`
  return `${id} (of ${JSON.stringify(own.title)}, ${where})`
}

export interface ReportOfSession {
  readonly session: string
  readonly findings: readonly Finding[]
}

/** What client reports could not check. */
interface Unchecked {
  /** Waits, because time does not pass. */
  waits: number
  /** Requests that the journal has evicted. */
  requests: number
}

export interface ClientReports {
  /** The sessions with findings. */
  readonly sessions: readonly ReportOfSession[]
  readonly unchecked: Readonly<Unchecked>
}

/** Findings that are kept of sessions that no longer exist. */
const maxFindings = 10_000
/** Cases of one kind that are printed, and calls of one case. */
const maxCases = 3

export type RunReports = ReturnType<typeof createRunReports>

/** Follows the sessions of a simulator, in bounded memory. */
export function createRunReports({
  sessions,
  settings,
  clientReportOf,
}: Pick<SimulatorCore, 'sessions' | 'settings' | 'clientReportOf'>) {
  const followed = new Map<Sandbox, TracedSession>()
  const discarded: ReportOfSession[] = []
  let discardedFindings = 0
  let gone = 0
  const unchecked = { waits: 0, requests: 0 }
  const isCurrent = (sandbox: Sandbox): boolean => sessions.find(sandbox.name)?.sandbox === sandbox
  const verdictOn = (sandbox: Sandbox, counts: Unchecked): ReportOfSession => {
    const { findings, uncheckedWaits = 0, unseen = 0 } = clientReportOf(sandbox)
    counts.waits += uncheckedWaits
    counts.requests += unseen
    return { session: sandbox.name, findings }
  }
  const collectDiscarded = (): void => {
    for (const sandbox of followed.keys()) {
      if (isCurrent(sandbox)) continue
      followed.delete(sandbox)
      gone++
      const verdict = verdictOn(sandbox, unchecked)
      if (verdict.findings.length === 0 || discardedFindings >= maxFindings) continue
      discardedFindings += verdict.findings.length
      discarded.push(verdict)
    }
  }
  return {
    record({ session }: JournalEntry): void {
      const found = sessions.find(session)
      if (found === undefined || followed.has(found.sandbox)) return
      // Only now and then, so that the cost per call stays negligible.
      if (followed.size >= 2 * settings.memory.sessions) collectDiscarded()
      const { sandbox, rules, settings: own } = found
      followed.set(sandbox, { sandbox, rules, settings: own })
    },
    /** The sessions of the run, as far as they are in memory. */
    followed: (): readonly TracedSession[] => [...followed.values()],
    discarded: (): number => gone,
    reports(): ClientReports {
      const counts = { ...unchecked }
      const sessions = [...discarded, ...[...followed.keys()].map((one) => verdictOn(one, counts))]
      return { sessions: sessions.filter(({ findings }) => findings.length > 0), unchecked: counts }
    },
  }
}

const severities: readonly Severity[] = ['error', 'warning', 'hint']
const outcomes = { error: 'failed', warning: 'warning', hint: 'note' } as const

/** The findings, one item per kind, errors first. Only errors and warnings are counted. */
export function clientItems(sessions: readonly ReportOfSession[]): {
  readonly count: number
  readonly sum: string
  readonly items: readonly Item[]
} {
  const cases = sessions.flatMap(({ session, findings }) => findings.map((finding) => ({ session, finding })))
  const of = severities.map((severity) => cases.filter(({ finding }) => finding.severity === severity))
  const items = of.flatMap((all) => {
    const ids = new Set(all.map(({ finding }) => finding.id))
    return [...ids].map((id) => itemOf(all.filter(({ finding }) => finding.id === id)))
  })
  const [errors = [], warnings = []] = of
  const sum = severities.flatMap((severity, index) => {
    const { length } = of[index] ?? []
    return length === 0 ? [] : [counted(length, severity)]
  })
  return { count: errors.length + warnings.length, items, sum: sum.join(', ') || '0' }
}

interface Case {
  readonly session: string
  readonly finding: Finding
}

function itemOf(cases: readonly Case[]): Item {
  const { finding: first } = cases[0] as Case
  const times = cases.reduce((total, { finding }) => total + finding.times, 0)
  const sessions = new Set(cases.map(({ session }) => session)).size
  // Sessions of one test suite often have the same finding.
  const different = [...grouped(cases, ({ finding }) => finding.message).values()].flatMap(
    ([one]) => one ?? [],
  )
  const more = different.length - maxCases
  const inSessions = sessions === 1 ? '' : ` in ${sessions} sessions`
  return {
    outcome: outcomes[first.severity],
    title: `${first.severity}: ${first.id}${times === 1 ? '' : `, ${times} times`}${inSessions}`,
    lines: [
      ...different.slice(0, maxCases).map(caseLine),
      ...(more > 0 ? [`and ${counted(more, 'more case')}`] : []),
      first.remedy,
    ],
  }
}

function caseLine({ session, finding: { message, evidence } }: Case): string {
  const inSession = session === 'default' ? '' : `, session ${session}`
  return `${message} (${evidenceText(evidence.slice(0, maxCases))}${inSession})`
}
