/** What a command called on the simulator, and which checks failed, as plain data. */
import type { ProgramEnd } from '../command.ts'
import { type ClientReportSummary, type ReportOfSession, summarizeClientReports } from './client-reports.ts'
import type { Failure } from './failures.ts'
import type { RuleCount } from './rules.ts'
import type { CallGroup, OperationCount, Tally } from './tally.ts'

/** One kind of problem that was looked for. */
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

export interface RunReport {
  readonly command: readonly string[]
  readonly end: ProgramEnd
  /** The exit code of the command, as a shell would report it. */
  readonly commandCode: number
  /** The exit code of `exec`. */
  readonly exitCode: number
  readonly calls: number
  readonly sessions: number
  readonly operations: readonly OperationCount[]
  /** The number of rules. */
  readonly rules: number
  readonly checks: readonly Check[]
  readonly clientReports: readonly ReportOfSession[]
}

export interface RunFacts {
  readonly command: readonly string[]
  readonly end: ProgramEnd
  readonly commandCode: number
  readonly tally: Tally
  readonly rules: RuleCount
  readonly clientReports: readonly ReportOfSession[]
  readonly failOn: ReadonlySet<Failure>
}

const maxLines = 20

const noCalls: CallGroup = {
  count: 1,
  examples: [
    'expected clients to take their base URL from the environment ' +
      '(OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GATEWAY_SIM_URL and so on)',
  ],
}

/** Builds the report. A bug in the simulator always fails the run. */
export function reportOf({
  command,
  end,
  commandCode,
  tally,
  rules,
  clientReports,
  failOn,
}: RunFacts): RunReport {
  const { unused } = rules
  const check = (
    name: Check['name'],
    { count, examples, sum = String(count) }: CallGroup & Partial<ClientReportSummary>,
  ): Check => ({
    name,
    count,
    sum,
    lines: examples,
    more: name === 'client-report' ? 0 : count - examples.length,
    fails: count > 0 && (name === 'bugs' || failOn.has(name)),
  })
  const checks = [
    check('bugs', tally.bugs),
    check('unmatched', tally.unmatched),
    check('refused', tally.refused),
    check('unused', { count: unused.length, examples: unused.slice(0, maxLines) }),
    check('client-report', summarizeClientReports(clientReports)),
    check('no-calls', tally.calls === 0 && end.kind !== 'not started' ? noCalls : { count: 0, examples: [] }),
  ]
  return {
    command,
    end,
    commandCode,
    exitCode: commandCode === 0 && checks.some(({ fails }) => fails) ? 1 : commandCode,
    calls: tally.calls,
    sessions: tally.sessions,
    operations: tally.operations(),
    rules: rules.count,
    checks,
    clientReports,
  }
}
