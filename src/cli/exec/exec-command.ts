/** What `gateway-sim exec` does, from its flags to its exit code. */
import type { JournalEntry } from '../../engine/journal-entry.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { defaultKey } from '../../scenario/load/scenario-set.ts'
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
import type { ServerFlags } from '../serve/server-flags.ts'
import { type StartedServer, startServer } from '../serve/start-server.ts'
import { clientEnvironment } from './client-environment.ts'
import { createRunReports, type RunReports } from './client-reports.ts'
import { type Failure, failures, type RunReport, reportOf } from './report.ts'
import { type ReportForm, reportFiles, writeReport } from './report-files.ts'
import { jsonRun } from './reporters/json.ts'
import { junitRun } from './reporters/junit.ts'
import { markdownRun } from './reporters/markdown.ts'
import { prettyRun } from './reporters/pretty.ts'
import { followRules } from './rules.ts'
import { createTally } from './tally.ts'

export interface RunFlags extends ServerFlags {
  /** A program and its words; at least one. */
  readonly command: readonly string[]
  /** As written: `junit=report.xml`. */
  readonly reports: readonly string[]
  /** As written: `client-report,unused`. */
  readonly failOn: readonly string[]
  /** Undefined for no call log. */
  readonly log: 'pretty' | 'json' | undefined
  readonly quiet: boolean
}

/**
 * How long calls may still end by themselves behind the command, in real milliseconds: its sockets close when
 * it is gone.
 */
const grace = 250

/** Runs a command against a server of its own. Throws `CommandError` for what the user can mend. */
export async function runCommand(flags: RunFlags, io: Io): Promise<ExitCode> {
  const { command } = flags
  const failOn = failuresOf(flags.failOn)
  const signals = passOn(io)
  const files = await reportFiles(flags.reports, io.cwd)
  const log = createCallLog(io, flags.log ?? 'pretty')
  const tally = createTally()
  let reports: RunReports | undefined
  const onCall = (entry: JournalEntry): void => {
    tally.take(entry)
    reports?.take(entry)
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
        clientEnvironment(io.env, server.listening.url, keyOf(server), server.listening.controlToken),
      ),
    )
    await callsToEnd(server)
    report = reportOf({
      command,
      end,
      commandCode: codeOf(end),
      tally,
      rules: rules(),
      clientReports: reports.sessions(),
      failOn,
    })
  } finally {
    await server.listening.close()
    log.flush()
  }
  tell(report, flags, log, io)
  for (const file of files)
    await writeReport(file, forms[file.form](report)).catch((error: unknown) => afterwards(error, report, io))
  return report.exitCode
}

const forms: Readonly<Record<ReportForm, (report: RunReport) => string>> = {
  junit: junitRun,
  json: jsonRun,
  md: markdownRun,
}

function tell(
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
        ? `gateway-sim: ${program}: there is no such command; expected a program on the PATH, or the path of one\n`
        : `gateway-sim: ${program}: the command cannot be run (${reason})\n`,
    )
    return
  }
  stderr.write(prettyRun(report, painterFor(stderr, env), quiet))
}

// What the command has ended with must not be lost for a file that cannot be written.
function afterwards(error: unknown, { commandCode }: RunReport, { stderr }: Io): void {
  if (!(error instanceof CommandError) || commandCode === 0) throw error
  stderr.write(`gateway-sim: ${error.message}\n`)
}

/** What a shell would say. */
function codeOf(end: ProgramEnd): number {
  if (end.kind === 'exited') return end.code
  if (end.kind === 'killed') return 128 + end.number
  return end.reason === 'ENOENT' ? exitCodes.notFound : exitCodes.cannotRun
}

/** Hands signals to the program that runs. One that came before it started ends it at once. */
function passOn(io: Io): { endOf(started: Promise<RunningProgram>): Promise<ProgramEnd> } {
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

/** A key that the simulator accepts: the first of those that exist. */
function keyOf({ simulator: { core } }: StartedServer): string {
  return Object.keys(core.settings.keys ?? {})[0] ?? defaultKey
}

/** Resolves when nobody is connected any more, or when those who stay have had their time. */
async function callsToEnd({ listening: { server } }: StartedServer): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    new Promise((resolve) => server.close(resolve)),
    new Promise((resolve) => (timer = setTimeout(resolve, grace))),
  ])
  clearTimeout(timer)
}

function failuresOf(written: readonly string[]): ReadonlySet<Failure> {
  const known = Object.keys(failures) as Failure[]
  const words = written.flatMap((one) => one.split(',').map((word) => word.trim()))
  return new Set(
    words.map((word) => {
      const failure = known.find((name) => name === word)
      if (failure !== undefined) return failure
      const nearest = nearestWord(word, known)
      throw new CommandError(
        exitCodes.usage,
        `--fail-on: expected ${known.join(', ')}, got ${JSON.stringify(word)}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
      )
    }),
  )
}
