/** The report of a run as one JSON document. */
import type { RunReport } from '../report.ts'

export function jsonRun({
  command,
  end,
  commandCode,
  exitCode,
  calls,
  sessions,
  operations,
  rules,
  checks,
  clientReports,
}: RunReport): string {
  return `${JSON.stringify(
    {
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
    },
    null,
    2,
  )}\n`
}
