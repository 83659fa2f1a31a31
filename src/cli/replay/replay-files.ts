/** Runs `gateway-sim replay`. */
import { resolve } from 'node:path'
import { createSimulator } from '../../index.ts'
import { replayRemote } from '../../replay/replay-remote.ts'
import { replayInProcess } from '../../replay/replay-scenario.ts'
import { isSkipped, type StepReport, type StoryReport } from '../../replay/report.ts'
import { jsonReport } from '../../replay/reporters/json.ts'
import { junitReport } from '../../replay/reporters/junit.ts'
import { prettyStory, prettySummary } from '../../replay/reporters/pretty.ts'
import { traceText } from '../../replay/reporters/trace.ts'
import { mistakesOfStepFiles } from '../../replay/step-files.ts'
import type { Scenario } from '../../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'
import { painterFor } from '../../text/paint.ts'
import { allowedFolders } from '../allow-files.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { mistakesMessage } from '../findings-report.ts'
import { createProgress } from '../progress.ts'
import { findScenarioFiles, readScenarioFiles } from '../scenario-files.ts'
import { writeOutput } from '../write-output.ts'
import { connect, parseKeys, reaching, serverOf } from './replay-server.ts'

export interface ReplayFlags {
  /** Files, directories, `-`. */
  readonly files: readonly string[]
  readonly baseUrl: string | undefined
  readonly apiKeys: readonly string[]
  /** Folders whose files scenarios may name. */
  readonly allowFiles: readonly string[]
  readonly reporter: 'pretty' | 'json' | 'junit'
  readonly trace: string | undefined
  readonly limit: unknown
  /** Which steps may be skipped: none, some of each scenario, or all. */
  readonly skipped: 'none' | 'some' | 'all'
  readonly token: string | undefined
  readonly controlPrefix: string | undefined
}

/** Replays the files one after another. Throws `CommandError` for what the user can fix. */
export async function replayFiles(flags: ReplayFlags, io: Io): Promise<ExitCode> {
  const server = serverOf(flags, io.env)
  const allowFiles = allowedFolders(flags.allowFiles, io.cwd)
  const scenarios = await loadScenarios(flags, allowFiles, io)
  const pretty = flags.reporter === 'pretty'
  const paint = painterFor(io.stdout, io.env)
  const progress = createProgress(io.stderr)
  const keys = parseKeys(flags.apiKeys, scenarios)
  const remote = server === undefined ? undefined : await connect(server, flags.apiKeys.length > 0, io)

  const reports: StoryReport[] = []
  for (const scenario of scenarios) {
    if (pretty && reports.length > 0) io.stdout.write('\n')
    const hooks = {
      cwd: io.cwd,
      allowFiles,
      onProgress: (step: string, message: string): void =>
        progress.show(`${scenario.name}, step ${step}`, message),
      onStep: ({ step, title }: StepReport): void =>
        io.stderr.isTTY === true ? progress.show(scenario.name, `step ${step}, ${title}`) : undefined,
    }
    const onWarning = (message: string): void => progress.log(`${scenario.name}: ${message}`)
    const report =
      server !== undefined && remote !== undefined
        ? await reaching(server, () =>
            replayRemote(scenario, remote, { ...hooks, keys, limit: server.limit }),
          )
        : (await replayInProcess(scenario, { ...hooks, onWarning })).report
    progress.clear()
    reports.push(report)
    if (pretty) io.stdout.write(prettyStory(report, paint))
  }

  if (pretty && reports.length > 1) io.stdout.write(`\n${prettySummary(reports, paint)}`)
  if (flags.reporter === 'json') io.stdout.write(`${JSON.stringify(jsonReport(reports), null, 2)}\n`)
  if (flags.reporter === 'junit') io.stdout.write(junitReport(reports))
  if (flags.trace !== undefined)
    await writeOutput(
      { path: resolve(io.cwd, flags.trace), flag: '--trace', shown: flags.trace, pid: io.pid },
      traceText(reports),
    )
  const tooMany = tooManySkipped(reports, flags.skipped, io)
  if (reports.some(({ outcome }) => outcome === 'failed')) return exitCodes.failed
  return tooMany ? exitCodes.skipped : exitCodes.ok
}

/**
 * Whether more steps were skipped than may be. Says so on stderr, since nobody may read a report for
 * programs.
 */
function tooManySkipped(
  reports: readonly StoryReport[],
  allowed: ReplayFlags['skipped'],
  { stderr }: Io,
): boolean {
  const empty = reports.filter(isSkipped)
  for (const { file, counts } of empty)
    stderr.write(`gateway-sim: ${file}: nothing was tested, all ${counts.skipped} steps were skipped.\n`)
  const skipped = reports.reduce((sum, { counts }) => sum + counts.skipped, 0)
  if (allowed === 'none' && skipped > 0) {
    const steps = skipped === 1 ? '1 step was' : `${skipped} steps were`
    stderr.write(`gateway-sim: ${steps} skipped, and --fail-on-skipped is set\n`)
    return true
  }
  if (allowed !== 'some' || empty.length === 0) return false
  stderr.write(
    `gateway-sim: that is no success (exit code ${exitCodes.skipped}), unless --allow-skipped is set\n`,
  )
  return true
}

// Reports all mistakes of all files at once, including those that only a simulator finds.
async function loadScenarios(flags: ReplayFlags, allowFiles: readonly string[], io: Io): Promise<Scenario[]> {
  const mistakes: ScenarioFinding[] = []
  const scenarios: Scenario[] = []
  const files = await readScenarioFiles(await findScenarioFiles(flags.files, io.cwd), io)
  for (const { scenario, mistakes: found } of files) {
    mistakes.push(...found)
    if (scenario === undefined) continue
    scenarios.push(scenario)
    try {
      const { core } = createSimulator({ scenarios: [scenario], allowFiles })
      mistakes.push(...mistakesOfStepFiles(scenario, core.reader))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      mistakes.push(
        ...(error.findings.length > 0
          ? error.findings.map((finding) => ({ file: scenario.name, ...finding }))
          : [{ file: scenario.name, field: '', message: error.message }]),
      )
    }
  }
  if (mistakes.length > 0) throw new CommandError(exitCodes.file, mistakesMessage(mistakes, files))
  if (!scenarios.some(({ spec }) => spec.steps !== undefined))
    throw new CommandError(
      exitCodes.file,
      `${flags.files.join(', ')}: nothing to replay: no file has \`steps\`.`,
    )
  return scenarios
}
