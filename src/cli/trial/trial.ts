/** `gateway-sim trial`. */
import { gatewayApi } from '../../disk/load-scenario.ts'
import { createSimulator } from '../../index.ts'
import { version } from '../../text/version.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { reportOf, type Trial } from '../../trial/report.ts'
import { type Cell, cellsOf, nameError, runCells, scenarioOf, titleOf } from '../../trial/trial.ts'
import {
  type ArgsOf,
  CommandError,
  defineCommand,
  type ExitCode,
  exitCodes,
  type Io,
  type Signal,
  signalCode,
  usageError,
} from '../command.ts'
import { choice, countOf, durationOf, list, report, toggle, value } from '../flags.ts'
import { prepareReports, printedAs } from '../output-files.ts'
import { serverFlags } from '../serve/start-server.ts'
import { observeRun } from './observe-run.ts'

const flags = {
  ...serverFlags(0, 'auto'),
  only: list('Try only this failure, operation, group (videos.*) or OPERATION:FAILURE; repeatable'),
  except: list('Skip this failure, operation, group or OPERATION:FAILURE; repeatable'),
  list: toggle('Perform only the healthy run, and list the other runs'),
  jobs: { ...value('Number of concurrent runs'), default: 1 },
  timeout: value('Wall-clock time limit for each run; at the limit, its processes are stopped', '30s'),
  report,
  format: choice('Format of the table on stdout', ['pretty', 'json']),
  quiet: toggle('Suppress progress on stderr'),
} as const

export type TrialArgs = ArgsOf<typeof flags> & { readonly command: readonly string[] }

const maxRuns = 64

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
  const { operations } = gatewayApi().reader.vocabulary
  const timeout = durationOf('--timeout', args.timeout) ?? 30_000
  const jobs = countOf('--jobs', args.jobs, maxRuns) ?? 1
  checkNames('--only', args.only, operations)
  checkNames('--except', args.except, operations)
  const reports = await prepareReports(args.report, io, printedAs(args.format, io))
  // All runs share one renderer of media.
  const renderer = createSimulator()
  const limits = { timeout, signal: stop.signal, media: renderer.core.media }
  try {
    const { core, run: healthy } = await observeRun(args, limits, io)
    checkHealthy(healthy)
    const cells = cellsOf(healthy.entries, core.vocabulary, args)
    if (args.list) return listCells(cells, args, io)
    let done = 0
    const judged = await runCells(cells, {
      async run(cell) {
        return (await observeRun(args, { ...limits, scenario: scenarioOf(cell) }, io)).run
      },
      healthy,
      jobs,
      vocabulary: core.vocabulary,
      done({ title, verdict, acceptable }) {
        done++
        const shown = acceptable ? verdict : verdict.toUpperCase()
        if (!args.quiet) note(`${done}/${cells.length} ${title}: ${shown}`, io)
      },
      isStopped: () => stop.signal.aborted,
    })
    const trial: Trial = { version, command: args.command, healthy, planned: cells.length, runs: judged }
    await reports.write(reportOf(trial, ({ cell }) => commandOf(cell, args)))
    if (judged.length === 0) return exitCodes.skipped
    return judged.every(({ result }) => result.acceptable) ? exitCodes.ok : exitCodes.failed
  } finally {
    await renderer.close()
  }
}

const note = (words: string, { stderr }: Io): void => void stderr.write(`gateway-sim: ${words}\n`)

function checkNames(flag: string, names: readonly string[], operations: readonly string[]): void {
  const errors = names.flatMap((name) => nameError(name, operations) ?? [])
  if (errors.length > 0) throw usageError(`${flag}: ${errors.join('; ')}`)
}

/** Throws `CommandError` if the healthy run is not a valid reference. */
function checkHealthy({ end, entries, stderr }: ObservedRun): void {
  const failed = (words: string): CommandError => {
    const tail = stderr.trim() === '' ? '' : `\n${stderr.trimEnd().slice(-1000)}`
    return new CommandError(exitCodes.failed, `${words}${tail}`)
  }
  if (end.kind === 'timedOut') throw failed('the command did not end within --timeout in the healthy run')
  if (end.kind === 'killed') throw failed(`${end.signal} killed the command in the healthy run`)
  if (end.code !== 0)
    throw failed(
      `the command exited with ${end.code} in the healthy run: ` +
        'make it succeed with `gateway-sim exec` first',
    )
  if (entries.length === 0)
    throw new CommandError(
      exitCodes.skipped,
      'no request reached the simulator: expected the command to take its base URL from the environment ' +
        '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)',
    )
}

function listCells(cells: readonly Cell[], { format }: TrialArgs, { stdout }: Io): ExitCode {
  const listed = cells.map(({ operation, nth = null, failure: { id, nature, what } }) => ({
    operation,
    nth,
    failure: id,
    nature,
    what,
  }))
  const lines = cells.map((cell) => `${titleOf(cell)}\n`)
  stdout.write(format === 'json' ? `${JSON.stringify(listed)}\n` : lines.join(''))
  return cells.length === 0 ? exitCodes.skipped : exitCodes.ok
}

/** The command that repeats one run. */
function commandOf({ operation, failure }: Cell, args: TrialArgs): string {
  const { scenario, config, recordings, handlers, clock, seed, timeout } = args
  const repeated = { scenario, config, recordings, handlers, clock, seed, timeout }
  const words = Object.entries(repeated).flatMap(([name, given]) =>
    [given ?? []].flat().flatMap((one) => [`--${name}`, String(one)]),
  )
  const only = ['--only', `${operation}:${failure.id}`]
  return ['gateway-sim', 'trial', ...[...only, ...words, '--', ...args.command].map(quoted)].join(' ')
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
