/** `gateway-sim exec`. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { renderers } from '../../report/renderers.ts'
import { counted } from '../../text/printable.ts'
import { type Hang, realTime } from '../../trial/client-time/client-time.ts'
import { jumpingTime } from '../../trial/client-time/jumping.ts'
import { createCallLog, eventWriter } from '../call-log.ts'
import { type ArgsOf, defineCommand, type Io, usageError } from '../command.ts'
import { choice, list, report, toggle } from '../flags.ts'
import { prepareReports, requestFormats } from '../output-files.ts'
import { serverFlags } from '../serve/start-server.ts'
import { traceReport } from '../trace-report.ts'
import { observeProgram } from './observe.ts'
import { Tally } from './record-run.ts'
import { type Failure, failures, outcomeOf, type RunResult, resultOf, runReport } from './run-report.ts'
import { forwardSignals, shellExitCode, startError } from './start-program.ts'
import { patienceOf, timeFlags } from './time-flags.ts'

const flags = {
  ...serverFlags(0, 'auto'),
  ...timeFlags('real', 'fast'),
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
    const time = args.clientTime === 'fast' ? jumpingTime(patienceOf(args)) : realTime()
    const startedAt = time.now()
    const options = {
      time,
      clock: 'auto',
      onWarning: log.warn,
      accessLog: args.log ? log.call : undefined,
      onCall: (entry: JournalEntry) => tally.record(entry),
    } as const
    const { end, server, sessions } = await observeProgram(args, options, io, (env) =>
      signals.endOf(io.startProgram(args.command, env), time.hang),
    ).finally(log.flush)
    const seconds = (time.now() - startedAt) / 1000
    const { core } = server.simulator
    result = resultOf({
      command: args.command,
      end,
      time:
        args.clientTime === 'fast'
          ? { seconds, isFast: time.isFast(), hang: time.hang.reason as Hang | undefined }
          : undefined,
      commandCode: shellExitCode(end),
      tally,
      rules: server.set?.book.ids ?? [],
      clientReports: sessions.reports(),
      failOn,
    })
    const title = `${args.command.join(' ')}: ${outcomeOf(result)}`
    const ended = sessions.ended()
    const missing =
      ended === 0 ? [] : [`${counted(ended, 'session')} that ended during the run are not included.`]
    const traced = [{ sessions: sessions.followed(), parts: core }]
    await output.write(runReport(result), (format) =>
      traceReport(format, traced, { savedAt: core.wall(), title, missing }),
    )
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
  if (format === 'pretty' && io.env['GITHUB_ACTIONS'] === 'true') io.stderr.write(renderers.github(shown))
}

function failOnOf(written: readonly string[]): ReadonlySet<Failure> {
  const known = Object.keys(failures)
  const words = written.flatMap((flag) => flag.split(',').map((word) => word.trim()))
  const unknown = words.find((word) => !known.includes(word))
  if (unknown === undefined) return new Set(words as Failure[])
  const hint = didYouMean(unknown, known, '', '; ')
  throw usageError(`--fail-on: expected ${known.join(', ')}, got ${JSON.stringify(unknown)}${hint}`)
}
