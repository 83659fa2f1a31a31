/** The requests of a command, the checks that failed, and the reports of both. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import { isUnmatched } from '../../exchange/failed.ts'
import { nearestFirst, ruleSentence } from '../../exchange/rule-reasons.ts'
import type { Item, Report, Section, Table } from '../../report/report.ts'
import { counted, escapeControls } from '../../text/printable.ts'
import type { ProgramEnd } from '../command.ts'
import type { Failure } from '../flags.ts'
import { Decisions } from './decisions.ts'
import { type CallGroup, type ClientReports, clientItems, type RuleCount } from './follow-sessions.ts'

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
  readonly items: readonly Item[]
  /** The count in words. */
  readonly sum: string
  /** Whether it fails the run. */
  readonly fails: boolean
}

interface RunEnd {
  readonly command: readonly string[]
  readonly end: ProgramEnd
  /** The exit code of the command, as a shell would report it. */
  readonly commandCode: number
  readonly clientReports: ClientReports
}

export interface RunFacts extends RunEnd {
  readonly tally: Tally
  readonly rules: RuleCount
  readonly failOn: ReadonlySet<Failure>
}

export interface RunResult extends RunEnd {
  readonly exitCode: number
  readonly requests: number
  readonly sessions: number
  readonly operations: readonly OperationCount[]
  readonly decisions: Decisions
  readonly rules: number
  readonly checks: readonly Check[]
}

const maxLines = 20

const noCalls =
  'expected clients to take their base URL from the environment ' +
  '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)'

export function resultOf({ tally, rules: { count, unused }, failOn, ...run }: RunFacts): RunResult {
  const { end, commandCode, clientReports } = run
  const check = (name: Check['name'], found: CheckedItems): Check => ({
    name,
    ...found,
    fails: found.count > 0 && (name === 'bugs' || failOn.has(name)),
  })
  const hasNoCalls = tally.requests === 0 && end.kind !== 'not started'
  const checks = [
    check('bugs', listed(tally.bugs)),
    check('unmatched', listed(tally.unmatched)),
    check('rejected', listed(tally.rejected)),
    check('unused', listed({ count: unused.length, examples: unused.slice(0, maxLines) })),
    check('client-report', clientItems(clientReports.sessions)),
    check('no-requests', listed({ count: Number(hasNoCalls), examples: hasNoCalls ? [noCalls] : [] })),
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

type CheckedItems = Pick<Check, 'count' | 'items' | 'sum'>

function listed({ count, examples }: CallGroup): CheckedItems {
  const more = count - examples.length
  const lines = more > 0 ? [...examples, `and ${more} more`] : examples
  return { count, sum: String(count), items: lines.map((title) => ({ outcome: 'note', title })) }
}

/** The report of a run. A quiet one has only what fails it. */
export function reportOf(run: RunResult, quiet = false): Report {
  const { command, commandCode, checks, exitCode } = run
  const isFine = exitCode === 0
  const difference = commandCode === 0 && !isFine ? `, but gateway-sim exits with ${exitCode}` : ''
  const shown = quiet ? checks.filter(({ fails }) => fails) : checks
  return {
    command: 'gateway-sim exec',
    subject: commandName(command),
    outcome: isFine ? 'passed' : 'failed',
    summary: outcomeOf(run) + difference,
    sections: [...(quiet ? [] : countSections(run)), ...shown.map((check) => checkSection(check, run))],
    data: jsonRun(run),
  }
}

function countSections(run: RunResult): Section[] {
  const { command, commandCode, requests, sessions, decisions } = run
  const calls =
    requests === 0 ? 'no requests' : `${counted(requests, 'request')} in ${counted(sessions, 'session')}`
  const program: Item = {
    outcome: commandCode === 0 ? 'passed' : 'failed',
    title: endOf(run),
    testCase: { suite: commandName(command), name: command.join(' '), type: 'exit' },
    isOnlyCase: true,
  }
  return [
    { title: calls, table: operationsTable(run), items: [program] },
    {
      title: 'rules, reserved values and faults',
      items: decisions.lines().map((title) => ({ outcome: 'note', title })),
    },
  ]
}

/** In JUnit, a check is one case; a finding that does not fail the run is skipped. */
function checkSection({ name, items, sum, fails, count }: Check, run: RunResult): Section {
  const unlessFailed = items.length === 0 ? 'passed' : 'skipped'
  const title = name === 'no-requests' ? headings[name] : `${headings[name]} (${sum})`
  const notes = name === 'client-report' ? clientNotes(items, run) : []
  const testCase: Item = {
    outcome: fails ? 'failed' : unlessFailed,
    title: count === 0 || fails ? title : `${title}, report only`,
    lines: [...items.flatMap((item) => [item.title, ...(item.lines ?? [])]), ...notes],
    testCase: { suite: commandName(run.command), name, type: name },
    isOnlyCase: true,
  }
  return {
    title,
    outcome: fails ? 'failed' : 'warning',
    items: [...items, testCase],
    notes,
  }
}

function clientNotes(items: readonly Item[], { requests, clientReports }: RunResult): string[] {
  const { unchecked } = clientReports
  const notes = items.length === 0 && requests > 0 ? ['no findings'] : []
  const responses = counted(unchecked.waits, 'response')
  if (unchecked.waits > 0)
    notes.push(`waits after ${responses} with retry-after were not checked: use --clock real --speed 1`)
  const unseen = counted(unchecked.requests, 'request')
  if (unchecked.requests > 0)
    notes.push(`${unseen} could not be checked: raise the settings memory.items and memory.bytes`)
  return notes
}

/** `failed checks: client-report (1); npm test exited with 1`. */
export function outcomeOf(run: RunResult): string {
  const names = run.checks.flatMap(({ name, count, fails }) => (fails ? [`${name} (${count})`] : []))
  return names.length === 0 ? endOf(run) : `failed checks: ${names.join(', ')}; ${endOf(run)}`
}

export function jsonRun(run: RunResult): object {
  const { command, end, commandCode, exitCode, requests, sessions, operations, rules } = run
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
    decisions: run.decisions.all(),
    rules,
    checks: Object.fromEntries(
      run.checks.map(({ name, count, items, fails }) => [
        name,
        { count, fails, lines: items.map(({ title, lines = [] }) => [title, ...lines].join('\n')) },
      ]),
    ),
    clientReports: run.clientReports.sessions,
    uncheckedWaits: run.clientReports.unchecked.waits,
    unseen: run.clientReports.unchecked.requests,
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

/** Statuses with their counts above one: `200, 429 (2)`. */
function operationsTable({ operations }: RunResult): Table {
  const rows = operations.map(({ operation = '(unknown path)', requests, statuses }) => {
    const shown = statuses.map(({ status, requests: count }) => {
      const word = status === 0 ? 'no response' : String(status)
      return count === 1 ? word : `${word} (${count})`
    })
    return [operation, String(requests), shown.join(', ')]
  })
  return { head: ['operation', 'requests', 'statuses'], rows }
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

function endOf({ command, end }: RunResult): string {
  const name = commandName(command)
  if (end.kind === 'exited') return `${name} exited with ${end.code}`
  return end.kind === 'killed'
    ? `${name} was killed by ${end.signal}`
    : `${name} could not be started (${end.reason})`
}
