/**
 * What there is to say of a command that ran against a simulator: what it called, and what was found about
 * that. Words nothing.
 */
import type { ProgramEnd } from '../command.ts'
import { clientReportsInWords, type ReportOfSession, type ReportSighting } from './client-reports.ts'
import type { RuleCount } from './rules.ts'
import type { OperationCount, Sighting, Tally } from './tally.ts'

/** What `--fail-on` may name, with what it means. */
export const failures = {
  'client-report':
    'clients used the contract badly: errors and warnings of docs/client-report.md; hints are told and do not count',
  unmatched: 'calls of paths that the gateway does not have and, in strict mode, calls that no rule names',
  unused:
    'rules that answered in no session, of `--scenario` or of scenarios that sessions were made with or were sent',
  refused:
    'calls of paths that the gateway has, refused for what they said, and not because a rule or a reserved value says so',
  'no-calls': 'a command that called nothing here: its clients were given another address',
} as const
export type Failure = keyof typeof failures

/** One thing that was looked for. */
export interface Check {
  readonly name: Failure | 'bugs'
  readonly count: number
  /** In words. */
  readonly lines: readonly string[]
  /** How many there are beside those in words. */
  readonly more: number
  /** How much there is, in words. */
  readonly sum: string
  /** Whether it makes the command fail. */
  readonly fails: boolean
}

export interface RunReport {
  readonly command: readonly string[]
  readonly end: ProgramEnd
  /** What the command itself ended with, as a shell would say it. */
  readonly commandCode: number
  /** What `exec` ends with. */
  readonly exitCode: number
  readonly calls: number
  readonly sessions: number
  readonly operations: readonly OperationCount[]
  /** How many rules there were. */
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

/** The report. A bug of the simulator fails every run, asked for or not. */
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
    { count, examples, sum = String(count) }: Sighting & Partial<ReportSighting>,
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
    check('client-report', clientReportsInWords(clientReports)),
    check(
      'no-calls',
      tally.calls === 0 && end.kind !== 'not started'
        ? {
            count: 1,
            examples: [
              'nothing called the simulator: expected clients that take their address from the environment (OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GATEWAY_SIM_URL and so on)',
            ],
          }
        : { count: 0, examples: [] },
    ),
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
