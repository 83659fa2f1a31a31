/** Runs `gateway-sim trial`. */
import { gatewayApi } from '../../disk/load-scenario.ts'
import { createSimulator, type Simulator } from '../../index.ts'
import { renderers } from '../../report/renderers.ts'
import { counted } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import { imperfections } from '../../trial/healthy.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { nameError } from '../../trial/names.ts'
import { staleEntries, validEntries } from '../../trial/policy.ts'
import { type CommandFor, reportOf, type Trial } from '../../trial/report.ts'
import { type Cell, cellsOf, type JudgedCell, runCells, scenarioOf, titleOf } from '../../trial/trial.ts'
import {
  CommandError,
  type ExitCode,
  exitCodes,
  type Io,
  type Signal,
  signalCode,
  usageError,
} from '../command.ts'
import { countOf, durationOf, type TrialArgs, trialFlags } from '../flags.ts'
import { prepareReports, printedAs, type Reports } from '../output-files.ts'
import { observeRun } from './observe-run.ts'
import { acceptAll, type PolicyFile, readPolicy } from './policy-file.ts'

const defaultTimeout = 30_000
const maxRuns = 64

export async function runTrial(flags: TrialArgs, io: Io): Promise<ExitCode> {
  const { operations } = gatewayApi().reader.vocabulary
  const timeout = durationOf('--timeout', flags.timeout, '30s or 2m') ?? defaultTimeout
  const jobs = countOf('--jobs', flags.jobs, maxRuns) ?? 1
  const repeat = countOf('--repeat', flags.repeat, maxRuns) ?? 1
  checkNames('--only', flags.only, operations)
  checkNames('--except', flags.except, operations)
  const policy = await readPolicy(flags, operations, io)
  const reports = await prepareReports(flags.report, io, printedAs(flags.format, io))
  if (reports.has('har')) throw usageError('--report: har has one session, and a trial has one per run')
  const stop = new AbortController()
  let signal: Signal | undefined
  io.onSignal(
    (one) => {
      signal ??= one
      stop.abort()
    },
    { detached: true },
  )
  const renderer = createSimulator()
  const { media } = renderer.core
  try {
    const code = await tryAll(flags, { timeout, jobs, repeat, stop: stop.signal, media, policy, reports }, io)
    return signal === undefined ? code : signalCode(signal)
  } catch (error) {
    // A stopped run has no verdict.
    if (signal === undefined) throw error
    io.stderr.write('gateway-sim: the trial was stopped before its first run\n')
    return signalCode(signal)
  } finally {
    // The other runs end with the trial.
    stop.abort()
    await renderer.close()
  }
}

interface TrialOptions {
  readonly timeout: number
  readonly jobs: number
  readonly repeat: number
  readonly stop: AbortSignal
  readonly media: Simulator['core']['media']
  readonly policy: PolicyFile
  readonly reports: Reports
}

async function tryAll(flags: TrialArgs, options: TrialOptions, io: Io): Promise<ExitCode> {
  const { timeout, stop, media, policy, reports, jobs, repeat } = options
  const limits = { timeout, signal: stop, media }
  const page = reports.has('html') ? (await import('./trial-page.ts')).createTrialPage() : undefined
  const { core, run: healthy, traced, realTime } = await observeRun(flags, limits, io)
  page?.keep(healthy, traced)
  checkHealthy(healthy)
  for (const line of imperfections(healthy)) note(`the healthy run is imperfect: ${line}`, io)
  const cells = cellsOf(healthy.entries, core.vocabulary, { ...flags, realTime })
  if (flags.list) return list(cells, flags, io)
  const today = new Date().toISOString().slice(0, 10)
  const progress = progressOf(cells.length, flags, io)
  const judged = await runCells(cells, {
    async run(cell) {
      const observed = await observeRun(flags, { ...limits, scenario: scenarioOf(cell) }, io)
      page?.keep(observed.run, observed.traced)
      return observed.run
    },
    healthy,
    jobs,
    repeat,
    vocabulary: core.vocabulary,
    done: progress.done,
    policy: validEntries(policy.entries, today),
    isStopped: () => stop.aborted,
  })
  progress.end()
  const { command } = flags
  const trial: Trial = { version, command, healthy, planned: cells.length, cells: judged }
  const again: CommandFor = (cell) => commandOf(cell, flags)
  const report = reportOf(trial, again)
  const html = async () => (await page?.html(trial, renderers.text(report), Date.now())) ?? ''
  await reports.write(report, html)
  const isWhole = judged.length === cells.length && flags.only.length + flags.except.length === 0
  if (isWhole) noteStale(policy, judged, today, io)
  const bad = judged.filter(({ acceptable }) => !acceptable)
  if (flags.acceptAll && bad.length > 0) {
    await acceptAll(policy, bad, { today, expires: flags.expires }, io)
    note(`${policy.shown}: accepted ${counted(bad.length, 'verdict')}`, io)
    return exitCodes.ok
  }
  if (judged.length === 0) return exitCodes.skipped
  return bad.length === 0 ? exitCodes.ok : exitCodes.failed
}

const note = (text: string, { stderr }: Io): void => void stderr.write(`gateway-sim: ${text}\n`)

function noteStale(
  { entries, shown }: PolicyFile,
  judged: readonly JudgedCell[],
  today: string,
  io: Io,
): void {
  const bad = judged.filter(({ acceptable, accepted }) => !acceptable || accepted !== undefined)
  for (const line of staleEntries(entries, bad, today)) note(`${shown}: ${line}`, io)
}

function checkNames(flag: string, names: readonly string[], operations: readonly string[]): void {
  for (const name of names) {
    const error = nameError(name, operations)
    if (error !== undefined) throw usageError(`${flag}: ${error}`)
  }
}

/** Throws `CommandError` if the healthy run is not a valid reference. */
function checkHealthy({ end, entries, stderr }: ObservedRun): void {
  const tail = stderr.trim() === '' ? '' : `\n${stderr.trimEnd().slice(-1000)}`
  if (end.kind === 'timedOut')
    throw new CommandError(
      exitCodes.failed,
      `the command did not end within --timeout in the healthy run${tail}`,
    )
  if (end.kind === 'killed')
    throw new CommandError(exitCodes.failed, `${end.signal} killed the command in the healthy run${tail}`)
  if (end.code !== 0)
    throw new CommandError(
      exitCodes.failed,
      `the command exited with ${end.code} in the healthy run: ` +
        `make it succeed with \`gateway-sim exec\` first${tail}`,
    )
  if (entries.length === 0)
    throw new CommandError(
      exitCodes.skipped,
      'no request reached the simulator: expected the command to take its base URL from the environment ' +
        '(such as OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GATEWAY_SIM_URL)',
    )
}

function list(cells: readonly Cell[], flags: TrialArgs, io: Io): ExitCode {
  const listed = cells.map(({ operation, nth = null, failure: { id, nature, what } }) => ({
    operation,
    nth,
    failure: id,
    nature,
    what,
  }))
  io.stdout.write(
    flags.format === 'json'
      ? `${JSON.stringify(listed)}\n`
      : cells.map((cell) => `${titleOf(cell)}\n`).join(''),
  )
  return cells.length === 0 ? exitCodes.skipped : exitCodes.ok
}

/** Flags that do not belong in the command of a single run: selections, reports, and a secret. */
const notRepeated = ['only', 'except', 'list', 'jobs', 'report', 'format', 'quiet', 'accept-all', 'expires']
const secret = 'control-token'

/** The command that repeats one run. */
function commandOf({ operation, failure }: Cell, flags: TrialArgs): string {
  const words = Object.entries(trialFlags).flatMap(([name, flag]) => {
    const value = (flags as Readonly<Record<string, unknown>>)[name]
    const usual = 'default' in flag ? flag.default : undefined
    if (notRepeated.includes(name) || name === secret || value === undefined || value === usual) return []
    return [value].flat().flatMap((one) => (one === true ? [`--${name}`] : [`--${name}`, String(one)]))
  })
  const only = ['--only', `${operation}:${failure.id}`]
  return ['gateway-sim', 'trial', ...[...only, ...words, '--', ...flags.command].map(quoted)].join(' ')
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

function progressOf(total: number, { quiet, format }: TrialArgs, { stderr }: Io) {
  let done = 0
  const isLive = stderr.isTTY === true && !quiet && format === 'pretty'
  return {
    done({ cell, verdict, acceptable }: JudgedCell): void {
      done++
      if (quiet) return
      const line = `${done}/${total} ${titleOf(cell)}: ${acceptable ? verdict : verdict.toUpperCase()}`
      stderr.write(isLive ? `\r\u001b[K${line}` : `${line}\n`)
    },
    end(): void {
      if (isLive) stderr.write('\r\u001b[K')
    },
  }
}
