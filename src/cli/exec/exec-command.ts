/** Runs `gateway-sim exec`. */
import type { JournalEntry } from '../../engine/journal-entry.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { painterFor } from '../../text/paint.ts'
import { type CallLog, createCallLog } from '../call-log.ts'
import {
  CommandError,
  type ExitCode,
  exitCodes,
  type Io,
  type ProgramEnd,
  type RunningProgram,
  type Signal,
} from '../command.ts'
import { prepareReportFiles, type ReportForm, writeReport } from '../report-files.ts'
import type { ServerFlags } from '../serve/server-flags.ts'
import { acceptedKey, type StartedServer, startServer } from '../serve/start-server.ts'
import { clientEnvironment } from './client-environment.ts'
import { createRunReports, type RunReports } from './client-reports.ts'
import { type Failure, failures } from './failures.ts'
import { type RunReport, reportOf } from './report.ts'
import { jsonRun } from './reporters/json.ts'
import { junitRun } from './reporters/junit.ts'
import { markdownRun } from './reporters/markdown.ts'
import { prettyRun } from './reporters/pretty.ts'
import { followRules } from './rules.ts'
import { createTally } from './tally.ts'

export interface RunFlags extends ServerFlags {
  /** The program and its arguments; not empty. */
  readonly command: readonly string[]
  /** Unparsed: `junit=report.xml`. */
  readonly reports: readonly string[]
  /** Unparsed: `client-report,unused`. */
  readonly failOn: readonly string[]
  /** Undefined for no call log. */
  readonly log: 'pretty' | 'json' | undefined
  readonly quiet: boolean
}

/** How long open calls may take to end after the command has exited, in real milliseconds. */
const gracePeriod = 250

/** Runs a command against a private server. Throws `CommandError` for what the user can fix. */
export async function runCommand(flags: RunFlags, io: Io): Promise<ExitCode> {
  const { command } = flags
  const failOn = parseFailOn(flags.failOn)
  const signals = forwardSignals(io)
  const files = await prepareReportFiles(flags.reports, io.cwd)
  const log = createCallLog(io, flags.log ?? 'pretty')
  const tally = createTally()
  let reports: RunReports | undefined
  const onCall = (entry: JournalEntry): void => {
    tally.record(entry)
    reports?.record(entry)
  }
  const server = await startServer(
    flags,
    {
      clock: 'auto',
      onWarning: log.warn,
      onCall,
      ...(flags.log === undefined ? {} : { accessLog: log.call }),
    },
    io,
  )

  let report: RunReport
  try {
    reports = createRunReports(server.simulator.core)
    const rules = followRules(server.simulator.core)
    const end = await signals.endOf(
      io.startProgram(
        command,
        clientEnvironment(
          io.env,
          server.listening.url,
          acceptedKey(server.simulator),
          server.listening.controlToken,
        ),
      ),
    )
    await drainCalls(server)
    report = reportOf({
      command,
      end,
      commandCode: shellExitCode(end),
      tally,
      rules: rules(),
      clientReports: reports.sessions(),
      failOn,
    })
  } finally {
    await server.listening.close()
    log.flush()
  }
  printReport(report, flags, log, io)
  for (const file of files)
    await writeReport(file, forms[file.form](report), io.pid).catch((error: unknown) => {
      // The exit code of a failed command matters more than a report that cannot be written.
      if (!(error instanceof CommandError) || report.commandCode === 0) throw error
      io.stderr.write(`gateway-sim: ${error.message}\n`)
    })
  return report.exitCode
}

const forms: Readonly<Record<ReportForm, (report: RunReport) => string>> = {
  junit: junitRun,
  json: jsonRun,
  md: markdownRun,
}

function printReport(
  report: RunReport,
  { command: [program = ''], quiet }: RunFlags,
  { flush }: CallLog,
  { stderr, env }: Io,
): void {
  flush()
  if (report.end.kind === 'not started') {
    const { reason } = report.end
    stderr.write(
      reason === 'ENOENT'
        ? `gateway-sim: ${program}: command not found\n`
        : `gateway-sim: ${program}: the command cannot be executed (${reason})\n`,
    )
    return
  }
  stderr.write(prettyRun(report, painterFor(stderr, env), quiet))
}

function shellExitCode(end: ProgramEnd): number {
  if (end.kind === 'exited') return end.code
  if (end.kind === 'killed') return 128 + end.number
  return end.reason === 'ENOENT' ? exitCodes.notFound : exitCodes.cannotRun
}

/** Forwards signals to the program, including those that arrive before it has started. */
function forwardSignals(io: Io): { endOf(started: Promise<RunningProgram>): Promise<ProgramEnd> } {
  let program: RunningProgram | undefined
  const early: Signal[] = []
  io.onSignal((signal) => {
    if (program === undefined) early.push(signal)
    else program.send(signal)
  })
  return {
    async endOf(started) {
      program = await started
      for (const signal of early) program.send(signal)
      return program.ended
    },
  }
}

/** Resolves when all connections are closed, or after the grace period. */
async function drainCalls({ listening: { server } }: StartedServer): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    new Promise((resolve) => server.close(resolve)),
    new Promise((resolve) => (timer = setTimeout(resolve, gracePeriod))),
  ])
  clearTimeout(timer)
}

function parseFailOn(flags: readonly string[]): ReadonlySet<Failure> {
  const known = Object.keys(failures) as Failure[]
  const words = flags.flatMap((flag) => flag.split(',').map((word) => word.trim()))
  return new Set(
    words.map((word) => {
      const failure = known.find((name) => name === word)
      if (failure !== undefined) return failure
      const nearest = nearestWord(word, known)
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
      throw new CommandError(
        exitCodes.usage,
        `--fail-on: expected ${known.join(', ')}, got ${JSON.stringify(word)}${hint}`,
      )
    }),
  )
}
