/** What `gateway-sim replay` does, from its flags to its exit code. Knows nothing of yargs. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { styleText } from 'node:util'
import { scenarioReader, scenarioOf, type Scenario } from '../load-scenario.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import { replayRemote } from '../replay/replay-remote.ts'
import { replayInProcess } from '../replay/replay-scenario.ts'
import type { StoryReport } from '../replay/report.ts'
import { jsonReport } from '../replay/reporters/json.ts'
import { junitReport } from '../replay/reporters/junit.ts'
import { plain, prettyStory, prettySummary, type Paint } from '../replay/reporters/pretty.ts'
import { traceText } from '../replay/reporters/trace.ts'
import { inProcessAddress } from '../replay/target.ts'
import { hasColours } from './call-log.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from './command.ts'
import { createProgress } from './progress.ts'
import { serverAt, serverOf, keysFor } from './replay-server.ts'

export interface ReplayFlags {
  /** As written; directories hold the files that they hold. */
  readonly files: readonly string[]
  readonly baseUrl: string | undefined
  readonly apiKeys: readonly string[]
  readonly reporter: 'pretty' | 'json' | 'junit'
  readonly trace: string | undefined
  readonly limit: unknown
}

/** Replays the files one after the other. Throws `CommandError` for what the user can mend. */
export async function replayFiles(flags: ReplayFlags, io: Io): Promise<ExitCode> {
  const server = serverOf(flags)
  const scenarios = await readAll(await named(flags.files, io.cwd))
  if (!scenarios.some(({ written }) => written.steps !== undefined)) throw new CommandError(exitCodes.file, `${flags.files.join(', ')}: nothing to replay, no file has \`steps\`.`)
  const pretty = flags.reporter === 'pretty'
  const paint: Paint = hasColours(io.stdout, io.env) ? (style, text) => styleText(style, text, { validateStream: false }) : plain
  const progress = createProgress(io.stderr)
  const keys = keysFor(flags.apiKeys, scenarios)
  const remote = server === undefined ? undefined : await serverAt(server, flags.apiKeys.length > 0)

  const reports: StoryReport[] = []
  for (const scenario of scenarios) {
    if (pretty && reports.length > 0) io.stdout.write('\n')
    // In-process nothing takes long enough for a line of its own.
    const onProgress = (step: string, words: string): void => (remote !== undefined || io.stderr.isTTY === true ? progress.show(`${scenario.name}, step ${step}`, words) : undefined)
    const heard = { cwd: io.cwd, onProgress }
    const report = server !== undefined && remote !== undefined ? await replayRemote(scenario, remote, { ...heard, keys, limit: server.limit }) : (await replayInProcess(scenario, { ...heard, onWarning: (message) => progress.say(`${scenario.name}: ${message}`) })).report
    progress.clear()
    reports.push(report)
    if (pretty) io.stdout.write(prettyStory(report, paint))
  }

  if (pretty && reports.length > 1) io.stdout.write(`\n${prettySummary(reports, paint)}`)
  if (flags.reporter === 'json') io.stdout.write(`${JSON.stringify(jsonReport(reports), null, 2)}\n`)
  if (flags.reporter === 'junit') io.stdout.write(junitReport(reports))
  if (flags.trace !== undefined) await write(resolve(io.cwd, flags.trace), flags.trace, traceText(reports, server?.base ?? inProcessAddress))
  return reports.some(({ outcome }) => outcome === 'failed') ? exitCodes.failed : exitCodes.ok
}

/** A file as it is shown, and where it is. */
interface Named {
  readonly shown: string
  readonly path: string
}

async function named(files: readonly string[], cwd: string): Promise<Named[]> {
  const found: Named[] = []
  for (const file of files) {
    const path = resolve(cwd, file)
    const isDirectory = await stat(path).then((facts) => facts.isDirectory(), () => false)
    if (!isDirectory) {
      found.push({ shown: file, path })
      continue
    }
    const inside = (await readdir(path, { recursive: true })).filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort()
    if (inside.length === 0) throw new CommandError(exitCodes.file, `${file}: this directory holds no scenario file (.yaml, .yml or .json).`)
    found.push(...inside.map((name) => ({ shown: join(file, name).replaceAll('\\', '/'), path: join(path, name) })))
  }
  return found
}

// All mistakes of all files at once, as an editor would show them.
async function readAll(files: readonly Named[]): Promise<Scenario[]> {
  const yaml = await import('yaml')
  const reader = scenarioReader()
  const mistakes: string[] = []
  const scenarios: Scenario[] = []
  for (const { shown, path } of files) {
    try {
      scenarios.push(scenarioOf(await readFile(path, 'utf8'), shown, dirname(path), yaml, reader))
    } catch (error) {
      if (error instanceof ScenarioError) mistakes.push(error.message)
      else if (error instanceof Error && 'syscall' in error) mistakes.push(`${shown}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : error.message}`)
      else throw error
    }
  }
  if (mistakes.length > 0) throw new CommandError(exitCodes.file, mistakes.join('\n'))
  return scenarios
}

async function write(path: string, shown: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (error) {
    throw new CommandError(exitCodes.usage, `--trace: expected a file that can be written, got ${shown} (${error instanceof Error ? error.message : String(error)})`)
  }
}
