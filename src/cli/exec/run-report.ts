/** The report on the requests of a command, and the checks that failed. */
import { grouped } from '../../engine/fields.ts'
import type { Finding, Severity } from '../../generated/control-types.ts'
import { evidenceText, remarks } from '../../judges/client-report-text.ts'
import { docsPage } from '../../protocol/docs-page.ts'
import { clip } from '../../protocol/wording.ts'
import type { Item, Report, Section, Table } from '../../report/report.ts'
import { counted, escapeControls } from '../../text/printable.ts'
import type { Hang } from '../../trial/client-time/client-time.ts'
import { durationOf } from '../../trial/judge.ts'
import type { ProgramEnd } from '../command.ts'
import type { CallGroup, SessionReport, Tally } from './record-run.ts'

/** What `--fail-on` can name. */
export const failures = {
  'client-report': `findings with severity error or warning, but not hint (${docsPage('findings')})`,
  unmatched: 'requests to unknown paths and, in strict mode, requests that match no rule',
  unused: 'rules in `--scenario` files that never matched',
  rejected: 'requests rejected because of their content, not because of a rule or a reserved value',
  'no-requests': 'no requests; the clients may use another base URL',
} as const
export type Failure = keyof typeof failures

export interface RunFacts {
  readonly command: readonly string[]
  readonly end: ProgramEnd
  /** The client's time, if it was to be fast. */
  readonly time?: FastTime | undefined
  /** The exit code of the command, as a shell would report it. */
  readonly commandCode: number
  readonly tally: Tally
  /** The ids of the rules in `--scenario` files. */
  readonly rules: readonly string[]
  readonly clientReports: readonly SessionReport[]
  readonly failOn: ReadonlySet<Failure>
}

interface FastTime {
  readonly seconds: number
  /** Whether the program could be fast. */
  readonly isFast: boolean
  /** Why it was stopped, if it was. */
  readonly hang: Hang | undefined
}

export interface Check {
  readonly name: Failure | 'bugs'
  readonly title: string
  readonly count: number
  readonly items: readonly Item[]
  readonly notes: readonly string[]
  /** Whether it fails the run. */
  readonly fails: boolean
}

export interface RunResult extends RunFacts {
  readonly exitCode: number
  readonly checks: readonly Check[]
}

const noCalls =
  'expected clients to take their base URL from the environment ' +
  '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)'

export function resultOf(run: RunFacts): RunResult {
  const { tally, rules, failOn, end, commandCode } = run
  const listed = (name: Check['name'], title: string, { count, examples }: CallGroup): Check => {
    const more = count - examples.length
    const lines = more > 0 ? [...examples, `and ${more} more`] : examples
    return {
      name,
      title: `${title} (${count})`,
      count,
      items: lines.map((line) => ({ outcome: 'note', title: line })),
      notes: [],
      fails: count > 0 && (name === 'bugs' || failOn.has(name)),
    }
  }
  const isSilent = tally.requests === 0 && end.kind !== 'not started'
  const silence = { count: Number(isSilent), examples: isSilent ? [noCalls] : [] }
  const checks = [
    listed('bugs', 'bugs in gateway-sim, please report them', tally.bugs),
    listed('unmatched', 'unmatched requests', tally.unmatched),
    listed('rejected', 'rejected requests', tally.rejected),
    listed('unused', 'rules that never matched', tally.unused(rules)),
    clientCheck(run),
    { ...listed('no-requests', '', silence), title: 'no request reached the simulator' },
  ]
  const hasFailed = checks.some(({ fails }) => fails)
  return { ...run, exitCode: commandCode === 0 && hasFailed ? 1 : commandCode, checks }
}

const severities: readonly Severity[] = ['error', 'warning', 'hint']
const outcomes = { error: 'failed', warning: 'warning', hint: 'note' } as const

/** The findings, one item per kind, errors first. Only errors and warnings are counted. */
function clientCheck({ clientReports, failOn, tally }: RunFacts): Check {
  const cases = clientReports.flatMap(({ session, findings }) =>
    findings.map((finding) => ({ session, finding })),
  )
  const kinds = [...grouped(cases, ({ finding }) => finding.code).values()]
  const items = severities.flatMap((severity) =>
    kinds.filter(([first]) => first?.finding.severity === severity).map(itemOf),
  )
  const counts = severities.flatMap((severity) => {
    const { length } = cases.filter(({ finding }) => finding.severity === severity)
    return length === 0 ? [] : [counted(length, severity)]
  })
  const count = cases.filter(({ finding }) => finding.severity !== 'hint').length
  return {
    name: 'client-report',
    title: `client report (${counts.join(', ') || '0'})`,
    count,
    items,
    notes: [
      ...(items.length === 0 && tally.requests > 0 ? ['no findings'] : []),
      ...uncheckedNotes(clientReports),
    ],
    fails: count > 0 && failOn.has('client-report'),
  }
}

/** What could not be checked, in all sessions together. */
function uncheckedNotes(reports: readonly SessionReport[]): string[] {
  const uncheckedWaits = reports.reduce((sum, one) => sum + (one.uncheckedWaits ?? 0), 0)
  const unseen = reports.reduce((sum, one) => sum + (one.unseen ?? 0), 0)
  return remarks({ more: 0, uncheckedWaits, unseen })
}

interface Case {
  readonly session: string
  readonly finding: Finding
}

/** Cases of one kind that are printed, and requests of one case. */
const maxCases = 3

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
    title: `${first.severity}: ${first.code}${times === 1 ? '' : `, ${times} times`}${inSessions}`,
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

/** The report of a run. A quiet one has only what fails it. */
export function runReport(run: RunResult, isQuiet = false): Report {
  const { command, commandCode, checks, exitCode } = run
  const difference = commandCode === 0 && exitCode !== 0 ? `, but gateway-sim exits with ${exitCode}` : ''
  const shown = checks.filter(({ fails }) => fails || !isQuiet)
  return {
    command: 'gateway-sim exec',
    subject: commandName(command),
    outcome: exitCode === 0 ? 'passed' : 'failed',
    summary: outcomeOf(run) + difference,
    sections: [...(isQuiet ? [] : countSections(run)), ...shown.map((check) => checkSection(check, run))],
    data: runData(run),
  }
}

function countSections(run: RunResult): Section[] {
  const { command, commandCode, tally } = run
  const { requests, sessions, sources } = tally
  const calls =
    requests === 0 ? 'no requests' : `${counted(requests, 'request')} in ${counted(sessions, 'session')}`
  const program: Item = {
    outcome: commandCode === 0 ? 'passed' : 'failed',
    title: endOf(run),
    testCase: { suite: commandName(command), name: command.join(' '), type: 'exit' },
    isOnlyCase: true,
  }
  const lines = [...sources].map(([source, count]) => `${source}: ${counted(count, 'request')}`)
  return [
    { title: calls, table: operationsTable(run), items: [program] },
    {
      title: 'rules, reserved values and faults',
      items: lines.map((title) => ({ outcome: 'note', title })),
    },
  ]
}

/** In JUnit, a check is one case; a finding that does not fail the run is skipped. */
function checkSection({ name, title, items, notes, fails, count }: Check, { command }: RunResult): Section {
  const unlessFailed = items.length === 0 ? 'passed' : 'skipped'
  const testCase: Item = {
    outcome: fails ? 'failed' : unlessFailed,
    title: count === 0 || fails ? title : `${title}, report only`,
    lines: [...items.flatMap((item) => [item.title, ...(item.lines ?? [])]), ...notes],
    testCase: { suite: commandName(command), name, type: name },
    isOnlyCase: true,
  }
  return { title, outcome: fails ? 'failed' : 'warning', items: [...items, testCase], notes }
}

/** `failed checks: client-report (1); npm test exited with 1`. */
export function outcomeOf(run: RunResult): string {
  const names = run.checks.flatMap(({ name, count, fails }) => (fails ? [`${name} (${count})`] : []))
  return names.length === 0 ? endOf(run) : `failed checks: ${names.join(', ')}; ${endOf(run)}`
}

function runData({
  command,
  end,
  time,
  commandCode,
  exitCode,
  tally,
  checks,
  clientReports,
}: RunResult): object {
  return {
    ok: exitCode === 0,
    exitCode,
    command: {
      argv: command,
      exitCode: commandCode,
      signal: end.kind === 'killed' ? end.signal : null,
      started: end.kind !== 'not started',
      ...(time === undefined ? {} : { time }),
    },
    requests: tally.requests,
    sessions: tally.sessions,
    operations: tally.operations().map(({ operation = null, statuses }) => ({
      operation,
      requests: sumOf(statuses),
      statuses: Object.fromEntries(statuses),
    })),
    sources: Object.fromEntries(tally.sources),
    checks: Object.fromEntries(
      checks.map(({ name, count, items, fails }) => [
        name,
        { count, fails, lines: items.map(({ title, lines = [] }) => [title, ...lines].join('\n')) },
      ]),
    ),
    clientReports: clientReports.filter(({ findings }) => findings.length > 0),
  }
}

const sumOf = (statuses: ReadonlyMap<number, number>): number =>
  [...statuses.values()].reduce((sum, count) => sum + count, 0)

/** Statuses with their counts above one: `200, 429 (2)`. */
function operationsTable({ tally }: RunResult): Table {
  const rows = tally.operations().map(({ operation = '(unknown path)', statuses }) => {
    const shown = [...statuses].map(([status, count]) => {
      const word = status === 0 ? 'no response' : String(status)
      return count === 1 ? word : `${word} (${count})`
    })
    return [operation, String(sumOf(statuses)), shown.join(', ')]
  })
  return { head: ['operation', 'requests', 'statuses'], rows }
}

/** The command, clipped. Of a shell with `-c`, the first line of its script. */
function commandName(command: readonly string[]): string {
  const [script = ''] = command.at(-2) === '-c' ? (command.at(-1) ?? '').trim().split('\n') : []
  return clip(escapeControls(script === '' ? command.join(' ') : script), 60)
}

function endOf({ command, end, time }: RunResult): string {
  const name = commandName(command)
  const after = time === undefined ? '' : afterOf(time)
  if (time?.hang === 'for ever') return `${name} was stopped: nothing could end its wait for a response`
  if (time?.hang === 'patience') return `${name} was stopped: it still waited${after}`
  if (end.kind === 'exited') return `${name} exited with ${end.code}${after}`
  return end.kind === 'killed'
    ? `${name} was killed by ${end.signal}${after}`
    : `${name} could not be started (${end.reason})`
}

const afterOf = (time: FastTime): string =>
  time.isFast ? ` after ${durationOf(time)} of its time` : ' (its time was real: it is no Node.js program)'
