/** What `gateway-sim replay` does, from its flags to its exit code. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createSimulator } from '../../index.ts'
import { replayRemote } from '../../replay/replay-remote.ts'
import { replayInProcess } from '../../replay/replay-scenario.ts'
import type { StepReport, StoryReport } from '../../replay/report.ts'
import { jsonReport } from '../../replay/reporters/json.ts'
import { junitReport } from '../../replay/reporters/junit.ts'
import { prettyStory, prettySummary } from '../../replay/reporters/pretty.ts'
import { traceText } from '../../replay/reporters/trace.ts'
import type { Scenario } from '../../scenario/load/load-scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'
import { painterFor } from '../../text/paint.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { unusable } from '../findings-report.ts'
import { createProgress } from '../progress.ts'
import { namedFiles, readScenarioFiles } from '../scenario-files.ts'
import { keysFor, serverAt, serverOf } from './replay-server.ts'

export interface ReplayFlags {
  /** As written: files, directories, `-`. */
  readonly files: readonly string[]
  readonly baseUrl: string | undefined
  readonly apiKeys: readonly string[]
  readonly reporter: 'pretty' | 'json' | 'junit'
  readonly trace: string | undefined
  readonly limit: unknown
  /** Whether a step that was skipped fails the run, as one that did not hold does. */
  readonly failOnSkipped: boolean
  readonly token: string | undefined
  readonly controlPrefix: string | undefined
}

/** Replays the files one after the other. Throws `CommandError` for what the user can mend. */
export async function replayFiles(flags: ReplayFlags, io: Io): Promise<ExitCode> {
  const server = serverOf(flags, io.env)
  const scenarios = await scenariosOf(flags, io)
  const pretty = flags.reporter === 'pretty'
  const paint = painterFor(io.stdout, io.env)
  const progress = createProgress(io.stderr)
  const keys = keysFor(flags.apiKeys, scenarios)
  const remote = server === undefined ? undefined : await serverAt(server, flags.apiKeys.length > 0)

  const reports: StoryReport[] = []
  for (const scenario of scenarios) {
    if (pretty && reports.length > 0) io.stdout.write('\n')
    // In-process nothing takes long enough for a line of its own.
    const onProgress = (step: string, words: string): void =>
      remote !== undefined || io.stderr.isTTY === true
        ? progress.show(`${scenario.name}, step ${step}`, words)
        : undefined
    const onStep = ({ step, title }: StepReport): void =>
      io.stderr.isTTY === true ? progress.show(scenario.name, `step ${step}, ${title}`) : undefined
    const heard = { cwd: io.cwd, onProgress, onStep }
    const report =
      server !== undefined && remote !== undefined
        ? await replayRemote(scenario, remote, { ...heard, keys, limit: server.limit })
        : (
            await replayInProcess(scenario, {
              ...heard,
              onWarning: (message) => progress.say(`${scenario.name}: ${message}`),
            })
          ).report
    progress.clear()
    reports.push(report)
    if (pretty) io.stdout.write(prettyStory(report, paint))
  }

  if (pretty && reports.length > 1) io.stdout.write(`\n${prettySummary(reports, paint)}`)
  if (flags.reporter === 'json') io.stdout.write(`${JSON.stringify(jsonReport(reports), null, 2)}\n`)
  if (flags.reporter === 'junit') io.stdout.write(junitReport(reports))
  // Reports for programs may be read by nobody; this must be.
  for (const { file, outcome, counts } of reports)
    if (outcome === 'empty' && counts.skipped > 0)
      io.stderr.write(
        `gateway-sim: ${file}: nothing was tried, all ${counts.skipped} steps were skipped. A simulator that serves the scenario takes them: gateway-sim serve --scenario ${file}\n`,
      )
  if (flags.trace !== undefined) await write(resolve(io.cwd, flags.trace), flags.trace, traceText(reports))
  const skipped = reports.reduce((sum, { counts }) => sum + counts.skipped, 0)
  const fails = flags.failOnSkipped && skipped > 0
  if (fails)
    io.stderr.write(
      `gateway-sim: ${skipped} step${skipped === 1 ? ' was' : 's were'} skipped, and --fail-on-skipped was given\n`,
    )
  return fails || reports.some(({ outcome }) => outcome === 'failed') ? exitCodes.failed : exitCodes.ok
}

// All mistakes of all files at once, those too that show only when a simulator begins.
async function scenariosOf(flags: ReplayFlags, io: Io): Promise<Scenario[]> {
  const mistakes: ScenarioFinding[] = []
  const scenarios: Scenario[] = []
  const files = await readScenarioFiles(await namedFiles(flags.files, io.cwd), io)
  for (const { scenario, mistakes: found } of files) {
    mistakes.push(...found)
    if (scenario === undefined) continue
    scenarios.push(scenario)
    try {
      createSimulator({ scenarios: [scenario] })
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      mistakes.push(
        ...(error.findings.length > 0
          ? error.findings.map((finding) => ({ file: scenario.name, ...finding }))
          : [{ file: scenario.name, field: '', message: error.message }]),
      )
    }
  }
  if (mistakes.length > 0) throw new CommandError(exitCodes.file, unusable(mistakes, files))
  if (!scenarios.some(({ written }) => written.steps !== undefined))
    throw new CommandError(
      exitCodes.file,
      `${flags.files.join(', ')}: nothing to replay, no file has \`steps\`.`,
    )
  return scenarios
}

async function write(path: string, shown: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw new CommandError(
      exitCodes.usage,
      `--trace: expected a file that can be written, got ${shown} (${error instanceof Error ? error.message : String(error)})`,
    )
  }
}
