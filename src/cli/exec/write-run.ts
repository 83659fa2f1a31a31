/** The report of a run in each form: for people, and for the files that `--report` names. */
import { junitXml } from '../../text/junit.ts'
import { markdownReport } from '../../text/markdown.ts'
import type { Paint } from '../../text/paint.ts'
import { asciiOnly, counted, textTable } from '../../text/printable.ts'
import type { ReportForm } from '../output-files.ts'
import type { Check, RunReport } from './report.ts'

export function prettyRun(report: RunReport, paint: Paint, quiet: boolean): string {
  const { operations, checks, commandCode, exitCode } = report
  const say = (text: string): string => `gateway-sim: ${text}\n`
  const indented = (text: string): string => text.replace(/^/gm, '  ')
  const table = operations.length === 0 ? '' : indented(textTable(...operationsTable(report)).trimEnd())
  const counts = quiet ? '' : say(paint('bold', callsOf(report))) + (table === '' ? '' : `${table}\n`)
  const found = checks
    .filter(({ lines, fails }) => lines.length > 0 && (fails || !quiet))
    .map((check) => {
      const text = linesOf(check)
        .flatMap((line) => line.split('\n').map(asciiOnly))
        .join('\n')
      return `${say(paint(check.fails ? 'red' : 'yellow', titleOf(check)))}${indented(text)}\n`
    })
  const failed = checks.filter(({ fails }) => fails)
  const names = failed.map(({ name, count }) => `${name} (${count})`).join(', ')
  const verdict =
    commandCode === 0
      ? `failed with ${exitCode} although ${endOf(report)}: ${names}`
      : `also failed: ${names}`
  return counts + found.join('') + (failed.length === 0 ? '' : say(paint('red', verdict)))
}

export const runForms: Readonly<Record<ReportForm, (report: RunReport) => string>> = {
  md(report) {
    const { checks, exitCode } = report
    const [head, rows] = operationsTable(report)
    return markdownReport({
      title: `gateway-sim: ${exitCode === 0 ? 'passed' : `failed with ${exitCode}`}`,
      summary: `${endOf(report)}; ${callsOf(report)}.`,
      table: { head, rows },
      lists: checks.map((check) => ({
        title: `${titleOf(check)}${check.fails ? ': failed' : ''}`,
        lines: check.lines.length === 0 ? [] : linesOf(check),
      })),
    })
  },

  /** One case for the command and one for each check; what is found and does not fail is a skipped case. */
  junit(report) {
    const { command, commandCode, checks } = report
    const title = command.join(' ')
    const common = { classname: 'gateway-sim exec', type: 'gateway-sim' }
    const outcome = commandCode === 0 ? 'passed' : 'failed'
    const cases = checks.map(
      (check) =>
        ({
          ...common,
          name: check.name,
          outcome: check.fails ? 'failed' : check.lines.length > 0 ? 'skipped' : 'passed',
          message: `${titleOf(check)}${check.fails ? '' : ', report only'}`,
          text: linesOf(check).join('\n'),
        }) as const,
    )
    return junitXml('gateway-sim exec', [
      { name: title, cases: [{ ...common, name: title, outcome, message: endOf(report) }, ...cases] },
    ])
  },

  json({ command, end, commandCode, exitCode, calls, sessions, operations, rules, checks, clientReports }) {
    const document = {
      ok: exitCode === 0,
      exitCode,
      command: {
        words: command,
        exitCode: commandCode,
        signal: end.kind === 'killed' ? end.signal : null,
        started: end.kind !== 'not started',
      },
      calls,
      sessions,
      operations: operations.map(({ operation = null, calls: count, statuses }) => ({
        operation,
        calls: count,
        statuses: Object.fromEntries(statuses.map((one) => [one.status, one.calls])),
      })),
      rules,
      checks: Object.fromEntries(
        checks.map(({ name, count, lines, fails }) => [name, { count, fails, lines }]),
      ),
      clientReports,
    }
    return `${JSON.stringify(document, null, 2)}\n`
  },
}

const headings: Readonly<Record<Check['name'], string>> = {
  bugs: 'bugs in gateway-sim (please report them)',
  unmatched: 'unmatched calls',
  refused: 'refused calls',
  unused: 'rules that never answered',
  'client-report': 'client report',
  'no-calls': 'no call reached the simulator',
}

/** With its count: `unmatched calls (2)`. */
function titleOf({ name, sum }: Check): string {
  return name === 'no-calls' ? headings[name] : `${headings[name]} (${sum})`
}

function linesOf({ lines, more }: Check): string[] {
  return more > 0 ? [...lines, `and ${more} more`] : [...lines]
}

/** `12 calls in 3 sessions`. */
function callsOf({ calls, sessions }: RunReport): string {
  return calls === 0 ? 'no calls' : `${counted(calls, 'call')} in ${counted(sessions, 'session')}`
}

/** Statuses with their counts above one: `200, 429 (2)`. */
function operationsTable({ operations }: RunReport): [head: string[], rows: string[][]] {
  const rows = operations.map(({ operation = '(unknown path)', calls, statuses }) => {
    const shown = statuses.map(({ status, calls: count }) => {
      const word = status === 0 ? 'no reply' : String(status)
      return count === 1 ? word : `${word} (${count})`
    })
    return [operation, String(calls), shown.join(', ')]
  })
  return [['operation', 'calls', 'statuses'], rows]
}

function endOf({ command: [name = ''], end }: RunReport): string {
  if (end.kind === 'exited') return `${name} exited with ${end.code}`
  return end.kind === 'killed'
    ? `${name} was killed by ${end.signal}`
    : `${name} could not be started (${end.reason})`
}
