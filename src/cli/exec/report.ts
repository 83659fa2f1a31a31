/** The requests of a command, the checks that failed, and the reports of both. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import { isUnmatched } from '../../exchange/failed.ts'
import { nearestFirst, ruleSentence } from '../../exchange/rule-reasons.ts'
import { docsPage } from '../../protocol/docs-page.ts'
import { githubAnnotation } from '../../text/github.ts'
import { junitXml } from '../../text/junit.ts'
import { markdownReport } from '../../text/markdown.ts'
import { type Paint, plain } from '../../text/paint.ts'
import { asciiOnly, counted, escapeControls, textTable } from '../../text/printable.ts'
import type { ProgramEnd } from '../command.ts'
import type { Failure } from '../flags.ts'
import type { ReportForm } from '../output-files.ts'
import { Decisions } from './decisions.ts'
import {
  type CallGroup,
  type ClientReportSummary,
  type ReportOfSession,
  type RuleCount,
  summarizeClientReports,
} from './follow-sessions.ts'

interface OperationCount {
  readonly operation: string | undefined
  readonly requests: number
  /** In the order of their first occurrence: retries show as `503, 200`. 0 means no response. */
  readonly statuses: readonly { readonly status: number; readonly requests: number }[]
}

const maxExamples = 20
const maxSessions = 100_000

/** Counts the requests of all sessions, in bounded memory. */
export class Tally {
  requests = 0
  /** Requests to unknown paths and, in strict mode, requests that match no rule. */
  readonly unmatched: Group = { count: 0, examples: [] }
  /** Calls rejected because of their content, not by a rule or a reserved value. */
  readonly rejected: Group = { count: 0, examples: [] }
  /** Calls that hit a bug in the simulator. */
  readonly bugs: Group = { count: 0, examples: [] }
  readonly decisions = new Decisions()
  readonly #operations = new Map<string | undefined, Map<number, number>>()
  readonly #sessions = new Set<string>()

  record(entry: JournalEntry): void {
    const { operation, response, cause } = entry
    this.requests++
    this.decisions.record(entry)
    if (this.#sessions.size < maxSessions) this.#sessions.add(entry.session)
    const statuses = this.#operations.get(operation) ?? new Map<number, number>()
    this.#operations.set(operation, statuses)
    const { status = 0 } = response ?? {}
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const { bug } = cause
    if (bug !== undefined) add(this.bugs, () => `${describeCall(entry)}: ${bug.split('\n')[0] ?? ''}`)
    if (isUnmatched(entry)) add(this.unmatched, () => describeCall(entry) + nearestRuleOf(entry))
    else if (cause.rejection !== undefined && cause.decidedBy === undefined)
      add(this.rejected, () => `${describeCall(entry)}: ${reasonOf(entry)}`)
  }

  get sessions(): number {
    return this.#sessions.size
  }

  /** By name, unknown paths last. */
  operations(): readonly OperationCount[] {
    return [...this.#operations]
      .map(([operation, counts]) => ({
        operation,
        requests: [...counts.values()].reduce((sum, count) => sum + count, 0),
        statuses: [...counts].map(([status, count]) => ({ status, requests: count })),
      }))
      .sort((one, other) => ((one.operation ?? '~') < (other.operation ?? '~') ? -1 : 1))
  }
}

interface Group extends CallGroup {
  count: number
  readonly examples: string[]
}

function add(group: Group, example: () => string): void {
  group.count++
  if (group.examples.length < maxExamples) group.examples.push(example())
}

function describeCall({ session, request, response }: JournalEntry): string {
  const inSession = session === 'default' ? '' : ` [session ${session}]`
  return `${request.method} ${withoutLongQuery(request.url)} got ${response?.status ?? 0}${inSession}`
}

function nearestRuleOf({ cause }: JournalEntry): string {
  const [nearest] = cause.unmatched ? nearestFirst(cause.considered ?? []) : []
  return nearest === undefined ? '' : `; closest: ${ruleSentence(nearest)}`
}

// The signatures of upload URLs are long and differ between runs.
function withoutLongQuery(path: string): string {
  const at = path.indexOf('?')
  return at < 0 || path.length - at <= 60 ? path : `${path.slice(0, at)}?...`
}

function reasonOf({ cause: { violations, rejection } }: JournalEntry): string {
  const [first] = violations
  if (first === undefined)
    return rejection?.param === undefined ? (rejection?.type ?? '') : `${rejection.type}, ${rejection.param}`
  return first.message.includes(first.field) ? first.message : `${first.field}: ${first.message}`
}

export interface Check {
  readonly name: Failure | 'bugs'
  readonly count: number
  /** The first ones as text. */
  readonly lines: readonly string[]
  /** How many are not in `lines`. */
  readonly more: number
  /** The count as text. */
  readonly sum: string
  /** Whether it fails the run. */
  readonly fails: boolean
}

interface RunEnd {
  readonly command: readonly string[]
  readonly end: ProgramEnd
  /** The exit code of the command, as a shell would report it. */
  readonly commandCode: number
  readonly clientReports: readonly ReportOfSession[]
  /** The responses with `retry-after` whose waits the client reports could not check. */
  readonly uncheckedWaits: number
  /** The HTML report with all requests, if one is written. */
  readonly requestsFile?: string | undefined
}

export interface RunFacts extends RunEnd {
  readonly tally: Tally
  readonly rules: RuleCount
  readonly failOn: ReadonlySet<Failure>
}

export interface RunReport extends RunEnd {
  readonly exitCode: number
  readonly requests: number
  readonly sessions: number
  readonly operations: readonly OperationCount[]
  readonly decisions: Decisions
  readonly rules: number
  readonly checks: readonly Check[]
}

const maxLines = 20

const noCalls: CallGroup = {
  count: 1,
  examples: [
    'expected clients to take their base URL from the environment ' +
      '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)',
  ],
}

export function reportOf({ tally, rules: { count, unused }, failOn, ...run }: RunFacts): RunReport {
  const { end, commandCode, clientReports } = run
  const check = (
    name: Check['name'],
    { count: found, examples, sum = String(found) }: CallGroup & Partial<ClientReportSummary>,
  ): Check => ({
    name,
    count: found,
    sum,
    lines: examples,
    more: name === 'client-report' ? 0 : found - examples.length,
    fails: found > 0 && (name === 'bugs' || failOn.has(name)),
  })
  const checks = [
    check('bugs', tally.bugs),
    check('unmatched', tally.unmatched),
    check('rejected', tally.rejected),
    check('unused', { count: unused.length, examples: unused.slice(0, maxLines) }),
    check('client-report', summarizeClientReports(clientReports)),
    check(
      'no-requests',
      tally.requests === 0 && end.kind !== 'not started' ? noCalls : { count: 0, examples: [] },
    ),
  ]
  return {
    ...run,
    exitCode: commandCode === 0 && checks.some(({ fails }) => fails) ? 1 : commandCode,
    requests: tally.requests,
    sessions: tally.sessions,
    operations: tally.operations(),
    decisions: tally.decisions,
    rules: count,
    checks,
  }
}

export function prettyRun(report: RunReport, paint: Paint, quiet: boolean): string {
  const { checks, commandCode, exitCode } = report
  const found = checks
    .filter(({ lines, fails }) => lines.length > 0 && (fails || !quiet))
    .map((check) => {
      // Only here: other reports are read where the package is not installed.
      const page = check.name === 'client-report' ? [`For each finding, see ${docsPage('findings')}`] : []
      const text = [...linesOf(check), ...page].flatMap((line) => line.split('\n').map(asciiOnly)).join('\n')
      return `${say(paint(check.fails ? 'red' : 'yellow', titleOf(check)))}${indented(text)}\n`
    })
  const isFine = commandCode === 0 && failedChecks(report) === undefined
  const difference = commandCode === 0 ? `, but gateway-sim exits with ${exitCode}` : ''
  return [
    quiet ? '' : prettyCounts(report, paint),
    ...found,
    quiet || !isWellBehaved(report) ? '' : say('client report: no findings'),
    quiet ? '' : uncheckedOf(report).map(say).join(''),
    isFine ? '' : say(paint('red', outcomeOf(report) + difference)),
  ].join('')
}

/** `failed checks: client-report (1); npm test exited with 1`. */
export function outcomeOf(report: RunReport): string {
  const failed = failedChecks(report)
  return failed === undefined ? endOf(report) : `${failed}; ${endOf(report)}`
}

/** Without the command, if only checks failed. */
const failureOf = (report: RunReport): string =>
  (report.commandCode === 0 ? failedChecks(report) : undefined) ?? outcomeOf(report)

/** `failed checks: client-report (1)`; undefined if no check failed. */
function failedChecks({ checks }: RunReport): string | undefined {
  const names = checks.flatMap(({ name, count, fails }) => (fails ? [`${name} (${count})`] : []))
  return names.length === 0 ? undefined : `failed checks: ${names.join(', ')}`
}

const say = (text: string): string => `gateway-sim: ${text}\n`
const indented = (text: string): string => text.replace(/^/gm, '  ')

/** The requests by operation, and what decided their responses. */
function prettyCounts(report: RunReport, paint: Paint): string {
  const { operations } = report
  const decisions = report.decisions.lines().map(asciiOnly)
  return [
    say(paint('bold', callsOf(report))),
    operations.length === 0 ? '' : `${indented(textTable(...operationsTable(report)).trimEnd())}\n`,
    decisions.length === 0 ? '' : `${say(decisionsTitle)}${indented(decisions.join('\n'))}\n`,
  ].join('')
}

const decisionsTitle = 'rules, reserved values and faults'

function uncheckedOf({ uncheckedWaits }: RunReport): string[] {
  if (uncheckedWaits === 0) return []
  const responses = counted(uncheckedWaits, 'response')
  return [`waits after ${responses} with retry-after were not checked: use --clock real --speed 1`]
}

/** Whether clients sent requests, and the client report has no findings. */
function isWellBehaved({ requests, checks }: RunReport): boolean {
  return requests > 0 && checks.some(({ name, lines }) => name === 'client-report' && lines.length === 0)
}

export const runForms: Readonly<Record<ReportForm, (report: RunReport) => string>> = {
  markdown(report) {
    const { checks, requestsFile } = report
    const [head, rows] = operationsTable(report)
    const file = requestsFile === undefined ? '' : ` All requests: ${requestsFile}.`
    return markdownReport({
      title: `gateway-sim: ${report.exitCode === 0 ? 'passed' : failureOf(report)}`,
      summary: `${endOf(report)}; ${callsOf(report)}.${file}`,
      table: { head, rows },
      lists: [
        { title: decisionsTitle, lines: report.decisions.lines() },
        ...checks.map((check) => ({
          title: `${titleOf(check)}${check.fails ? ': failed' : ''}`,
          lines: check.lines.length === 0 ? [] : linesOf(check),
        })),
        { title: 'not checked', lines: uncheckedOf(report) },
      ],
    })
  },

  /** A case for the command and one for each check; a finding that does not fail the run is skipped. */
  junit(report) {
    const { command, commandCode, checks } = report
    const title = command.join(' ')
    const common = { classname: 'gateway-sim exec', type: 'gateway-sim' }
    const outcome = commandCode === 0 ? 'passed' : 'failed'
    const note = uncheckedOf(report).join('\n')
    const cases = checks.map((check) => {
      const unlessFailed = check.lines.length > 0 ? 'skipped' : 'passed'
      return {
        ...common,
        name: check.name,
        outcome: check.fails ? 'failed' : unlessFailed,
        message: `${titleOf(check)}${check.fails ? '' : ', report only'}`,
        text: linesOf(check).join('\n'),
        ...(check.name === 'client-report' && note !== '' ? { note } : {}),
      } as const
    })
    const text = 'The output of the command contains the reason.'
    const counts = commandCode === 0 ? {} : { note: prettyCounts(report, plain).trimEnd() }
    const program = { ...common, name: title, outcome, message: endOf(report), text, ...counts } as const
    return junitXml('gateway-sim exec', [{ name: title, cases: [program, ...cases] }])
  },

  json: (report) => `${JSON.stringify(jsonRun(report), null, 2)}\n`,
}

/** A line for each failed check. */
export const githubErrors = ({ checks }: RunReport): string =>
  checks
    .filter(({ fails }) => fails)
    .map((check) =>
      githubAnnotation({ severity: 'error', message: [titleOf(check), ...linesOf(check)].join('\n') }),
    )
    .join('')

/** The report as JSON. */
export function jsonRun(report: RunReport): object {
  const { command, end, commandCode, exitCode, requests, sessions, operations, rules } = report
  return {
    ok: exitCode === 0,
    exitCode,
    command: {
      argv: command,
      exitCode: commandCode,
      signal: end.kind === 'killed' ? end.signal : null,
      started: end.kind !== 'not started',
    },
    requests,
    sessions,
    operations: operations.map(({ operation = null, requests: count, statuses }) => ({
      operation,
      requests: count,
      statuses: Object.fromEntries(statuses.map((one) => [one.status, one.requests])),
    })),
    decisions: report.decisions.all(),
    rules,
    checks: Object.fromEntries(
      report.checks.map(({ name, count, lines, fails }) => [name, { count, fails, lines }]),
    ),
    clientReports: report.clientReports,
    uncheckedWaits: report.uncheckedWaits,
  }
}

const headings: Readonly<Record<Check['name'], string>> = {
  bugs: 'bugs in gateway-sim (please report them)',
  unmatched: 'unmatched requests',
  rejected: 'rejected requests',
  unused: 'rules that never matched',
  'client-report': 'client report',
  'no-requests': 'no request reached the simulator',
}

/** With its count: `unmatched requests (2)`. */
function titleOf({ name, sum }: Check): string {
  return name === 'no-requests' ? headings[name] : `${headings[name]} (${sum})`
}

function linesOf({ lines, more }: Check): string[] {
  return more > 0 ? [...lines, `and ${more} more`] : [...lines]
}

/** `12 requests in 3 sessions`. */
function callsOf({ requests, sessions }: RunReport): string {
  return requests === 0 ? 'no requests' : `${counted(requests, 'request')} in ${counted(sessions, 'session')}`
}

/** Statuses with their counts above one: `200, 429 (2)`. */
function operationsTable({ operations }: RunReport): [head: string[], rows: string[][]] {
  const rows = operations.map(({ operation = '(unknown path)', requests, statuses }) => {
    const shown = statuses.map(({ status, requests: count }) => {
      const word = status === 0 ? 'no response' : String(status)
      return count === 1 ? word : `${word} (${count})`
    })
    return [operation, String(requests), shown.join(', ')]
  })
  return [['operation', 'requests', 'statuses'], rows]
}

/**
 * The first words of a command, without flags and scripts: `npx playwright test …`. Of a shell with `-c`, the
 * first line of its script.
 */
function commandName(command: readonly string[]): string {
  const [script = ''] = command.at(-2) === '-c' ? (command.at(-1) ?? '').trim().split('\n') : []
  const given = script === '' ? command : script.split(/\s+/)
  const end = given.findIndex((word, index) => index > 0 && /^-|\s/.test(word))
  const words = given.slice(0, end === -1 ? 3 : Math.min(end, 3))
  return escapeControls([...words, ...(words.length < given.length ? ['…'] : [])].join(' '))
}

function endOf({ command, end }: RunReport): string {
  const name = commandName(command)
  if (end.kind === 'exited') return `${name} exited with ${end.code}`
  return end.kind === 'killed'
    ? `${name} was killed by ${end.signal}`
    : `${name} could not be started (${end.reason})`
}
