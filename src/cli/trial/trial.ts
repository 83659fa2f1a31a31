/** `gateway-sim trial`. */
import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { gatewayApi } from '../../disk/load-scenario.ts'
import { createSimulator } from '../../index.ts'
import { version } from '../../text/version.ts'
import { reportOf } from '../../trial/report.ts'
import { cellsOf, runCells, scenarioOf, selectionError, titleOf, unusable } from '../../trial/trial.ts'
import {
  type ArgsOf,
  CommandError,
  defineCommand,
  type ExitCode,
  exitCodes,
  type Io,
  outcomeCodes,
  type Signal,
  signalCode,
  usageError,
} from '../command.ts'
import { timeFlags } from '../exec/time-flags.ts'
import { choice, countOf, durationOf, list, report, toggle, value } from '../flags.ts'
import { prepareReports, printedAs } from '../output-files.ts'
import { serverFlags } from '../serve/start-server.ts'
import { progressOn } from './progress.ts'
import { startRuns } from './timed-runs.ts'

const flags = {
  ...serverFlags(0, 'auto'),
  only: list('Try only this failure, operation, group (videos.*) or OPERATION:FAILURE; repeatable'),
  except: list('Skip this failure, operation, group or OPERATION:FAILURE; repeatable'),
  list: toggle('Perform only the healthy run, and list the other runs'),
  quick: toggle('Try only the ten failures that break most clients, each once'),
  for: value('Wall-clock time limit for the trial; at the limit, the report names what was not tried'),
  jobs: value('Number of concurrent runs, not counting those that only wait. Default: CPU cores + 1'),
  timeout: value('Wall-clock time limit for each run; at the limit, its processes are stopped', '30s'),
  ...timeFlags('fast', 'real'),
  max: value('Client time within which each run must end to be acceptable'),
  report,
  format: choice('Format of the table on stdout', ['pretty', 'json']),
  quiet: toggle('Suppress progress on stderr'),
} as const

type TrialArgs = ArgsOf<typeof flags> & { readonly command: readonly string[] }

export const command = defineCommand({
  rest: 'command',
  examples: [
    ['gateway-sim trial -- node app.js', 'Try every failure'],
    ['gateway-sim trial --only chat.create:disconnect -- pytest tests/chat.py', 'Repeat one failure'],
  ],
  flags,
  async handler(args, io) {
    const stop = new AbortController()
    let signal: Signal | undefined
    io.onSignal(
      (one) => {
        signal ??= one
        stop.abort()
      },
      { detached: true },
    )
    try {
      const code = await tryAll(args, stop, io)
      return signal === undefined ? code : signalCode(signal)
    } catch (error) {
      // A stopped run has no verdict.
      if (signal === undefined) throw error
      io.stderr.write('gateway-sim: the trial was stopped before its first run\n')
      return signalCode(signal)
    } finally {
      // The other runs end with the trial.
      stop.abort()
    }
  },
})

async function tryAll(args: TrialArgs, stop: AbortController, io: Io): Promise<ExitCode> {
  const timeout = durationOf('--timeout', args.timeout) ?? 30_000
  const jobs = countOf('--jobs', args.jobs, 1, 64) ?? availableParallelism() + 1
  const total = durationOf('--for', args.for)
  const max = durationOf('--max', args.max)
  const error = selectionError(args, gatewayApi().reader.vocabulary.operations)
  if (error !== undefined) throw usageError(`--${error}`)
  const reports = await prepareReports(args.report, io, printedAs(args.format, io))
  const startedAt = performance.now()
  // All runs share one renderer of media.
  const renderer = createSimulator()
  setMaxListeners(0, stop.signal)
  const limits = { timeout, signal: stop.signal, media: renderer.core.media }
  try {
    const { vocabulary, healthy, note, observe } = await startRuns(args, limits, io)
    const problem = unusable(healthy)
    if (problem !== undefined) throw new CommandError(outcomeCodes[problem.outcome], problem.reason)
    const cells = cellsOf(healthy.entries, vocabulary, args)
    if (args.list) {
      for (const cell of cells) io.stdout.write(`${titleOf(cell)}\n`)
      return cells.length === 0 ? exitCodes.skipped : exitCodes.ok
    }
    if (total !== undefined) setTimeout(() => stop.abort(), total - (performance.now() - startedAt)).unref()
    const runs = await runCells(cells, {
      run: (cell, onIdle) => observe({ ...limits, scenario: scenarioOf(cell), onIdle }),
      healthy,
      max,
      jobs,
      vocabulary,
      done: args.quiet ? () => {} : progressOn(io.stderr, cells.length),
      isStopped: () => stop.signal.aborted,
    })
    const made = { version, command: args.command, healthy, note: note(), planned: cells, runs }
    const shown = reportOf(made, args)
    await reports.write(shown)
    return outcomeCodes[shown.outcome]
  } finally {
    await renderer.close()
  }
}
