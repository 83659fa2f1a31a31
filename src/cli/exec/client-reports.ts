/**
 * The verdicts on the clients of all sessions of a run, also of sessions that were reset or given up
 * meanwhile. Judges nothing itself.
 */
import type { Finding, Severity } from '../../conduct/verdict.ts'
import type { SimulatorCore } from '../../core/simulator.ts'
import type { JournalEntry } from '../../engine/journal-entry.ts'
import type { World } from '../../engine/world.ts'
import type { Sighting } from './tally.ts'

/** The findings about one session's clients. */
export interface ReportOfSession {
  readonly session: string
  readonly findings: readonly Finding[]
}

export interface RunReports {
  /** Follows the session of a call. */
  take(entry: JournalEntry): void
  /** The sessions that something was found in, until now. */
  sessions(): readonly ReportOfSession[]
}

/** How many findings of a whole run are kept, and how many cases of one kind are told. */
const most = { findings: 10_000, cases: 3 } as const

/** Follows the sessions of a simulator. What it keeps is bounded by the sessions that the simulator keeps. */
export function createRunReports({
  sessions,
  settings,
  conductOf,
}: Pick<SimulatorCore, 'sessions' | 'settings' | 'conductOf'>): RunReports {
  const followed = new Set<World>()
  const gone: ReportOfSession[] = []
  let kept = 0
  const isCurrent = (world: World): boolean => sessions.find(world.name)?.world === world
  const verdictOn = (world: World): ReportOfSession => ({
    session: world.name,
    findings: conductOf(world).findings,
  })
  const letGo = (): void => {
    for (const world of followed) {
      if (isCurrent(world)) continue
      followed.delete(world)
      const verdict = verdictOn(world)
      if (verdict.findings.length === 0 || kept >= most.findings) continue
      kept += verdict.findings.length
      gone.push(verdict)
    }
  }
  return {
    take({ session }) {
      const world = sessions.find(session)?.world
      if (world === undefined || followed.has(world)) return
      // Looked through once for so many new sessions, so that it costs a call next to nothing.
      if (followed.size >= 2 * settings.memory.sessions) letGo()
      followed.add(world)
    },
    sessions: () => [...gone, ...[...followed].map(verdictOn)].filter(({ findings }) => findings.length > 0),
  }
}

export interface ReportSighting extends Sighting {
  /** `1 error, 2 hints`. */
  readonly sum: string
}

const severities: readonly Severity[] = ['error', 'warning', 'hint']

/**
 * The verdicts in words, a block for each kind of finding, errors first. Errors and warnings count; hints are
 * told.
 */
export function clientReportsInWords(sessions: readonly ReportOfSession[]): ReportSighting {
  const cases = sessions.flatMap(({ session, findings }) => findings.map((finding) => ({ session, finding })))
  const bySeverity = (severity: Severity): typeof cases =>
    cases.filter(({ finding }) => finding.severity === severity)
  const blocks = severities.flatMap((severity) => {
    const ids = new Set(bySeverity(severity).map(({ finding }) => finding.id))
    return [...ids].map((id) => blockOf(cases.filter(({ finding }) => finding.id === id)))
  })
  const counts = severities.map((severity) => bySeverity(severity).length) as [number, number, number]
  const sum = severities
    .flatMap((severity, index) =>
      counts[index] === 0 ? [] : [`${counts[index]} ${severity}${counts[index] === 1 ? '' : 's'}`],
    )
    .join(', ')
  return { count: counts[0] + counts[1], examples: blocks, sum }
}

function blockOf(cases: readonly { readonly session: string; readonly finding: Finding }[]): string {
  const { finding: first } = cases[0] as (typeof cases)[number]
  const times = cases.reduce((total, { finding }) => total + finding.times, 0)
  const sessions = new Set(cases.map(({ session }) => session)).size
  // Many sessions of one suite tell the same story.
  const seen = new Set<string>()
  const different = cases.filter(({ finding: { message } }) => seen.size < seen.add(message).size)
  const told = different.slice(0, most.cases).map(
    ({ session, finding: { message, evidence } }) =>
      `  ${message} (${evidence
        .slice(0, most.cases)
        .map(({ seq, requestId }) => `#${seq} ${requestId}`)
        .join(', ')}${session === 'default' ? '' : `, session ${session}`})`,
  )
  const more = different.length - told.length
  return [
    `${first.severity}: ${first.id} (${first.section})${times === 1 ? '' : `, ${times} times`}${sessions === 1 ? '' : ` in ${sessions} sessions`}`,
    ...told,
    ...(more > 0 ? [`  and ${more} more such cases`] : []),
    `  ${first.remedy}`,
  ].join('\n')
}
