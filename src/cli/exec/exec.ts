/** `gateway-sim exec`. */
import { docsPage } from '../../protocol/docs-page.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { renderers } from '../../report/renderers.ts'
import { counted } from '../../text/printable.ts'
import { createCallLog, eventWriter } from '../call-log.ts'
import {
  type ArgsOf,
  CommandError,
  defineCommand,
  exitCodes,
  type Io,
  type ProgramEnd,
  type RunningProgram,
  type Signal,
  usageError,
} from '../command.ts'
import { choice, list, report, toggle } from '../flags.ts'
import { prepareReports, requestFormats } from '../output-files.ts'
import { acceptedKey, type StartedServer, serverFlags, startServer } from '../serve/start-server.ts'
import { traceReport } from '../trace-report.ts'
import { clientEnvironment } from './client-environment.ts'
import { followSessions, Tally } from './record-run.ts'
import { type Failure, failures, outcomeOf, type RunResult, resultOf, runReport } from './run-report.ts'

const flags = {
  ...serverFlags(0, 'auto'),
  report,
  'fail-on': list(
    `Checks that fail the run (exit code 1): ${Object.keys(failures).join(', ')}; ` +
      `comma-separated or repeated`,
  ),
  log: toggle('Log each request to stderr'),
  format: choice('Format of the log and of the summary on stderr', ['pretty', 'json']),
  quiet: toggle('Suppress the summary, but not warnings or the reasons for a failure'),
} as const

export const command = defineCommand({
  rest: 'command',
  examples: [
    ['gateway-sim exec -- npm test', 'Run a test suite against a simulator'],
    [
      'gateway-sim exec --fail-on client-report --report junit=sim.xml -- pytest',
      'Fail the run if the client misuses the API, and write a report for CI',
    ],
  ],
  flags,
  async handler(args, io) {
    const failOn = failOnOf(args.failOn)
    const signals = forwardSignals(io)
    const log = createCallLog(io, args.format)
    let result: RunResult | undefined
    const output = await prepareReports(args.report, io, {
      stream: io.stderr,
      requests: requestFormats,
      print: () => printRun(result as RunResult, args, io),
    })
    const tally = new Tally()
    const server = await startServer(
      args,
      {
        clock: 'auto',
        onWarning: log.warn,
        accessLog: args.log ? log.call : undefined,
        onCall(entry) {
          tally.record(entry)
          sessions.record(entry)
        },
      },
      io,
    )
    const { listening, simulator, set } = server
    const sessions = followSessions(simulator.core)
    try {
      const key = acceptedKey(simulator)
      const env = clientEnvironment(io.env, listening.url, key, listening.controlToken)
      const end = await signals.endOf(io.startProgram(args.command, env))
      await drainCalls(server)
      result = resultOf({
        command: args.command,
        end,
        commandCode: shellExitCode(end),
        tally,
        rules: set?.book.ids ?? [],
        clientReports: sessions.reports(),
        failOn,
      })
    } finally {
      await listening.close()
      log.flush()
    }
    const { core } = simulator
    const title = `${args.command.join(' ')}: ${outcomeOf(result)}`
    const missing =
      sessions.ended() === 0
        ? []
        : [`${counted(sessions.ended(), 'session')} that ended during the run are not included.`]
    const traced = [{ sessions: sessions.followed(), parts: core }]
    try {
      await output.write(runReport(result), (format) =>
        traceReport(format, traced, { savedAt: core.wall(), title, missing }),
      )
    } catch (error) {
      // The exit code of a failed command matters more than a report that cannot be written.
      if (!(error instanceof CommandError) || result.commandCode === 0) throw error
      io.stderr.write(`gateway-sim: ${error.message}\n`)
    }
    return result.exitCode
  },
})

/** The output without `--report FORMAT`. */
function printRun(result: RunResult, { format, quiet }: ArgsOf<typeof flags>, io: Io): void {
  const { command: argv, end, exitCode, checks } = result
  if (end.kind === 'not started') {
    io.stderr.write(`gateway-sim: ${argv[0]}: ${startError(end.reason)}\n`)
    return
  }
  if (quiet && (exitCode === 0 || !checks.some(({ fails }) => fails))) return
  const shown = runReport(result, quiet)
  eventWriter(io.stderr, format)('report', shown.data as object, renderers.text(shown).trimEnd())
  // Only here: other reports are read where the package is not installed.
  const client = checks.find(({ name }) => name === 'client-report')
  if (format === 'pretty' && client !== undefined && client.items.length > 0 && (client.fails || !quiet))
    io.stderr.write(`For each finding, see ${docsPage('findings')}\n`)
  if (format === 'pretty' && io.env['GITHUB_ACTIONS'] === 'true') io.stderr.write(renderers.github(shown))
}

export const startError = (reason: string): string =>
  reason === 'ENOENT' ? 'command not found' : `the command cannot be executed (${reason})`

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

/** How long open calls may take to end after the command has exited, in real milliseconds. */
const gracePeriod = 250

/** Resolves when all connections are closed, or after the grace period. */
export async function drainCalls({ listening: { server } }: StartedServer): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    new Promise((resolve) => server.close(resolve)),
    new Promise((resolve) => (timer = setTimeout(resolve, gracePeriod))),
  ])
  clearTimeout(timer)
}

function failOnOf(written: readonly string[]): ReadonlySet<Failure> {
  const known = Object.keys(failures)
  const words = written.flatMap((flag) => flag.split(',').map((word) => word.trim()))
  const unknown = words.find((word) => !known.includes(word))
  if (unknown === undefined) return new Set(words as Failure[])
  const hint = didYouMean(unknown, known, '', '; ')
  throw usageError(`--fail-on: expected ${known.join(', ')}, got ${JSON.stringify(unknown)}${hint}`)
}
