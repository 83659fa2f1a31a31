/** Runs `gateway-sim trial`. */
import type { JournalEntry } from '../../engine/journal-entry.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import { painterFor } from '../../text/paint.ts'
import { version } from '../../text/version.ts'
import type { TracedRun } from '../../trace/collect-trace.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { markdownTrial } from '../../trial/markdown.ts'
import { type CommandFor, jsonTrial, junitTrial, prettyTrial, type TrialReport } from '../../trial/report.ts'
import {
  type Cell,
  cellsOf,
  type JudgedCell,
  runCells,
  scenarioOf,
  titleOf,
  trialRule,
} from '../../trial/trial.ts'
import { CommandError, type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { clientEnvironment, drainCalls } from '../exec/exec-command.ts'
import { createRunReports, type RunReports } from '../exec/follow-sessions.ts'
import { durationOf, type TrialArgs } from '../flags.ts'
import { prepareReportFiles, reportForms, writeReport } from '../output-files.ts'
import { acceptedKey, startServer } from '../serve/start-server.ts'
import { runProgram } from './run-program.ts'

const defaultTimeout = 30_000

export async function runTrial(flags: TrialArgs, io: Io): Promise<ExitCode> {
  const timeout = durationOf('--timeout', flags.timeout, '30s or 2m') ?? defaultTimeout
  const jobs = countOf('--jobs', flags.jobs)
  const files = await prepareReportFiles(flags.report, io.cwd, trialForms)
  const stopped = new AbortController()
  io.onSignal(() => stopped.abort())
  const runOnce = async (scenario?: ScenarioInput): Promise<TracedRunOf> =>
    observe(flags, { timeout, signal: stopped.signal, scenario }, io)

  const page = files.some(({ form }) => form === 'html')
    ? (await import('./trial-page.ts')).createTrialPage()
    : undefined
  const { core, traced, ...healthy } = await runOnce()
  page?.keep(healthy, traced)
  checkHealthy(healthy)
  const cells = cellsOf(healthy.entries, core.vocabulary, flags)
  if (flags.list) return list(cells, flags, io)
  const progress = progressOf(cells.length, flags, io)
  const judged = await runCells(cells, {
    async run(cell) {
      const { core: _, traced: own, ...run } = await runOnce(scenarioOf(cell))
      page?.keep(run, own)
      return run
    },
    healthy,
    vocabulary: core.vocabulary,
    jobs,
    done: progress.done,
    isStopped: () => stopped.signal.aborted,
  })
  progress.end()
  const report: TrialReport = {
    version,
    command: flags.command,
    healthy,
    planned: cells.length,
    cells: judged,
  }
  const again: CommandFor = (cell) => commandOf(cell, flags)
  io.stdout.write(
    flags.format === 'json'
      ? `${JSON.stringify(jsonTrial(report))}\n`
      : prettyTrial(report, again, painterFor(io.stdout, io.env)),
  )
  for (const file of files) {
    const html = file.form === 'html' ? await page?.html(report, again, Date.now()) : undefined
    await writeReport(file, html ?? textOf(file.form, report, again), io)
  }
  if (judged.length === 0) return exitCodes.skipped
  return judged.every(({ acceptable }) => acceptable) ? exitCodes.ok : exitCodes.failed
}

const trialForms = [...reportForms, 'html'] as const

const textOf = (form: (typeof trialForms)[number], report: TrialReport, again: CommandFor): string =>
  form === 'junit'
    ? junitTrial(report)
    : form === 'markdown'
      ? markdownTrial(report, again)
      : `${JSON.stringify(jsonTrial(report), null, 2)}\n`

function countOf(flag: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 64) return value
  throw usageError(`${flag}: expected a whole number from 1 to 64, got ${JSON.stringify(value)}`)
}

type Core = RunReportsCore & { readonly vocabulary: import('../../protocol/operations.ts').Vocabulary }
type RunReportsCore = Parameters<typeof createRunReports>[0] & TracedRun['parts']

type TracedRunOf = ObservedRun & { readonly core: Core; readonly traced: TracedRun }

interface RunOptions {
  readonly timeout: number
  readonly signal: AbortSignal
  readonly scenario: ScenarioInput | undefined
}

/** Wall-clock milliseconds before the exit of a program in which its connections may close because of it. */
const closingTime = 30

/** Runs the command once, against a simulator of its own. */
async function observe(
  flags: TrialArgs,
  { timeout, signal, scenario }: RunOptions,
  io: Io,
): Promise<TracedRunOf> {
  const entries: JournalEntry[] = []
  const closedAt = new Map<JournalEntry, number>()
  const watched = new Set<string>()
  let reports: RunReports | undefined
  const server = await startServer(
    { ...flags, port: 0 },
    {
      clock: 'auto',
      onWarning() {},
      ...(scenario === undefined ? {} : { first: scenario }),
      onCall(entry) {
        entries.push(entry)
        reports?.record(entry)
        const session = server.simulator.core.sessions.find(entry.session)
        if (session === undefined || watched.has(entry.session)) return
        watched.add(entry.session)
        session.sandbox.journal.onClose((closed) => void closedAt.set(closed, performance.now()))
      },
    },
    io,
  )
  const { core } = server.simulator
  try {
    reports = createRunReports(core)
    const { url, controlToken } = server.listening
    const env = clientEnvironment(io.env, url, acceptedKey(server.simulator), controlToken)
    const ran = await runProgram(flags.command, env, { timeout, signal, cwd: io.cwd })
    const exitedAt = performance.now()
    await drainCalls(server)
    const leftOpen = entries.filter(
      (entry, index) =>
        entry.rule === trialRule &&
        entry.ended !== 'completed' &&
        (closedAt.get(entry) ?? Infinity) >= exitedAt - closingTime &&
        entries.slice(index + 1).some(({ ended }) => ended === 'completed'),
    )
    const findings = reports.sessions().flatMap((session) => session.findings)
    const traced = { sessions: reports.followed(), parts: core }
    return { ...ran, entries, findings, leftOpen: leftOpen.map(({ seq }) => seq), core, traced }
  } finally {
    await server.listening.close()
  }
}

/** Throws `CommandError` if the healthy run proves nothing. */
function checkHealthy({ end, entries, stderr }: ObservedRun): void {
  const tail = stderr.trim() === '' ? '' : `\n${stderr.trimEnd().slice(-1000)}`
  if (end.kind === 'timedOut')
    throw new CommandError(
      exitCodes.failed,
      `the command did not end in the healthy run: see --timeout${tail}`,
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
        '(OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GATEWAY_SIM_URL and so on)',
    )
}

function list(cells: readonly Cell[], flags: TrialArgs, io: Io): ExitCode {
  const listed = cells.map(({ operation, nth = null, failure: { id, nature, what } }) => ({
    ...{ operation, nth, failure: id, nature, what },
  }))
  io.stdout.write(
    flags.format === 'json'
      ? `${JSON.stringify(listed)}\n`
      : cells.map((cell) => `${titleOf(cell)}\n`).join(''),
  )
  return cells.length === 0 ? exitCodes.skipped : exitCodes.ok
}

/** The command that repeats one run. */
function commandOf({ operation, failure }: Cell, { command, timeout }: TrialArgs): string {
  const limit = timeout === undefined ? '' : ` --timeout ${String(timeout)}`
  return `gateway-sim trial --only ${operation}:${failure.id}${limit} -- ${command.map(quoted).join(' ')}`
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
