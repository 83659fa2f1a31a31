/** `gateway-sim trial`. */
import { gatewayApi } from '../../disk/load-scenario.ts'
import { createSimulator } from '../../index.ts'
import { renderers } from '../../report/renderers.ts'
import { counted } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { nameError } from '../../trial/names.ts'
import { staleEntries, validEntries } from '../../trial/policy.ts'
import { type CommandFor, reportOf, type Trial } from '../../trial/report.ts'
import { type Cell, cellsOf, runCells, scenarioOf, titleOf } from '../../trial/trial.ts'
import { createProgress } from '../call-log.ts'
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
import { choice, countOf, durationOf, list, report, text, toggle, value } from '../flags.ts'
import { prepareReports, printedAs } from '../output-files.ts'
import { serverFlags } from '../serve/start-server.ts'
import { acceptAll, type PolicyFile, readPolicy } from './accepted-verdicts.ts'
import { observeRun } from './observe-run.ts'
import { createTrialPage } from './trial-page.ts'

const flags = {
  ...serverFlags(0, 'auto'),
  only: list('Try only this failure, operation, group (videos.*) or OPERATION:FAILURE; repeatable'),
  except: list('Skip this failure, operation, group or OPERATION:FAILURE; repeatable'),
  list: toggle('Perform only the healthy run, and list the other runs'),
  jobs: { ...value('Number of concurrent runs'), default: 1 },
  timeout: value('Wall-clock time limit for each run; at the limit, its processes are stopped', '30s'),
  accept: text(
    'YAML file of accepted verdicts with their reasons: a list of { operation, failure, verdict, reason, ' +
      'expires }',
    'gateway-sim.trial.yaml in the current folder',
  ),
  'accept-all': toggle('Add every verdict of this trial that is not acceptable to the --accept file'),
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
  const policy = await readPolicy(args, operations, io)
  const reports = await prepareReports(args.report, io, printedAs(args.format, io))
  if (reports.has('har')) throw usageError('--report: har has one session, and a trial has one per run')
  // All runs share one renderer of media.
  const renderer = createSimulator()
  const limits = { timeout, signal: stop.signal, media: renderer.core.media }
  const page = reports.has('html') ? createTrialPage() : undefined
  try {
    const { core, run: healthy, traced } = await observeRun(args, limits, io)
    page?.keep(healthy, traced)
    checkHealthy(healthy)
    const cells = cellsOf(healthy.entries, core.vocabulary, args)
    if (args.list) return listCells(cells, args, io)
    const progress = createProgress(io.stderr)
    let done = 0
    const judged = await runCells(cells, {
      async run(cell) {
        const observed = await observeRun(args, { ...limits, scenario: scenarioOf(cell) }, io)
        page?.keep(observed.run, observed.traced)
        return observed.run
      },
      healthy,
      jobs,
      vocabulary: core.vocabulary,
      done({ cell, verdict, acceptable }) {
        done++
        const shown = acceptable ? verdict : verdict.toUpperCase()
        if (!args.quiet) progress.show(`${done}/${cells.length} ${titleOf(cell)}`, shown)
      },
      policy: validEntries(policy.entries, today()),
      isStopped: () => stop.signal.aborted,
    })
    progress.clear()
    const trial: Trial = { version, command: args.command, healthy, planned: cells.length, cells: judged }
    const again: CommandFor = (cell) => commandOf(cell, args)
    const report = reportOf(trial, again)
    const html = async () => (await page?.html(trial, renderers.text(report), Date.now())) ?? ''
    await reports.write(report, html)
    return await outcomeOf(trial, args, policy, io)
  } finally {
    await renderer.close()
  }
}

/** The exit code; adds verdicts to the file of `--accept`, or names entries of it that are not needed. */
async function outcomeOf(
  { cells, planned }: Trial,
  { only, except, ...args }: TrialArgs,
  policy: PolicyFile,
  io: Io,
): Promise<ExitCode> {
  if (cells.length === planned && only.length + except.length === 0) {
    const needing = cells.filter(({ acceptable, accepted }) => !acceptable || accepted !== undefined)
    for (const line of staleEntries(policy.entries, needing, today())) note(`${policy.shown}: ${line}`, io)
  }
  const bad = cells.filter(({ acceptable }) => !acceptable)
  if (args.acceptAll && bad.length > 0) {
    await acceptAll(policy, bad, today(), io)
    note(`${policy.shown}: accepted ${counted(bad.length, 'verdict')}`, io)
    return exitCodes.ok
  }
  if (cells.length === 0) return exitCodes.skipped
  return bad.length === 0 ? exitCodes.ok : exitCodes.failed
}

const today = (): string => new Date().toISOString().slice(0, 10)

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
