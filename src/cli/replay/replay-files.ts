/** Runs `gateway-sim replay`. */
import type { SettingsInput } from '../../generated/settings-types.ts'
import { createSimulator } from '../../index.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { renderers } from '../../report/renderers.ts'
import { sectionText } from '../../report/text.ts'
import { type ControlAccess, ControlRejection, probe, type Remote, Unreachable } from '../../run/remote.ts'
import { type GivenKeys, keyNamesOf, replayInProcess, replayRemote } from '../../run/replay.ts'
import {
  isSkipped,
  replayReport,
  type StepReport,
  type StoryReport,
  storySection,
  traceText,
} from '../../run/replay-report.ts'
import { errorsOfStepFiles } from '../../run/request-parts.ts'
import type { Scenario } from '../../scenario/load/scenario.ts'
import { ScenarioError, type ScenarioFinding } from '../../scenario/scenario-error.ts'
import type { TracedRun } from '../../trace/collect-trace.ts'
import { createProgress } from '../call-log.ts'
import {
  CommandError,
  type ExitCode,
  exitCodes,
  fileError,
  type Io,
  rejectionOf,
  usageError,
} from '../command.ts'
import { allowedFolders, baseUrlOf, durationOf, type ReplayArgs } from '../flags.ts'
import { prepareReports, type RequestFormat, writeOutput } from '../output-files.ts'
import { painterFor } from '../painter.ts'
import { findScenarioFiles, readScenarioFiles } from '../scenario-files.ts'
import { errorsMessage, findSettingsFile, readSettingsFile } from '../settings-file.ts'

export async function replayFiles(flags: ReplayArgs, io: Io): Promise<ExitCode> {
  if (flags.allowSkipped && flags.failOnSkipped)
    throw usageError('--allow-skipped and --fail-on-skipped are mutually exclusive')
  const server = serverOf(flags, io.env)
  const { format } = flags
  const output = await prepareReports(flags.report, io, {
    stream: io.stdout,
    // As text, each scenario was printed when it ended.
    print: (report, paint) =>
      io.stdout.write(format === 'pretty' ? `${report.summary}\n` : renderers[format](report, paint)),
  })
  if (server !== undefined && (output.has('har') || output.has('html')))
    throw usageError('--report: har and html need an in-process replay: remove --base-url')
  const allowFiles = allowedFolders(flags.allowFiles, io.cwd)
  const settings = server === undefined ? await readSettings(flags, io) : {}
  const scenarios = await loadScenarios(flags, { allowFiles, settings }, io)
  const pretty = format === 'pretty' && output.isDefault
  const paint = painterFor(io.stdout, io.env)
  const progress = createProgress(io.stderr)
  const keys = parseKeys(flags.apiKey, scenarios)
  const remote = server === undefined ? undefined : await connect(server, flags.apiKey.length > 0)

  const reports: StoryReport[] = []
  const runs: TracedRun[] = []
  for (const scenario of scenarios) {
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
            replayRemote(scenario, remote, { ...hooks, keys, limit: server.timeout }),
          )
        : (
            await replayInProcess(scenario, {
              ...hooks,
              settings,
              onWarning,
              onEnd: ({ core }) => runs.push({ sessions: [...core.sessions.all()], parts: core }),
            })
          ).report
    progress.clear()
    reports.push(report)
    if (pretty) io.stdout.write(`${sectionText(storySection(report), paint)}\n\n`)
  }

  if (flags.output !== undefined)
    await writeOutput({ flag: '--output', shown: flags.output }, traceText(reports), io)
  await output.write(replayReport(reports), (requests) => requestsText(requests, reports, runs))
  const tooMany = tooManySkipped(reports, flags, io)
  if (reports.some(({ outcome }) => outcome === 'failed')) return exitCodes.failed
  return tooMany ? exitCodes.skipped : exitCodes.ok
}

async function requestsText(
  format: RequestFormat,
  reports: readonly StoryReport[],
  runs: readonly TracedRun[],
): Promise<string> {
  const { traceReport } = await import('../trace-report.ts')
  const title = `replay of ${reports.map(({ file }) => file).join(', ')}`
  return traceReport(format, runs, { savedAt: Date.now(), title })
}

/** Whether too many steps were skipped. Also writes that to stderr. */
function tooManySkipped(
  reports: readonly StoryReport[],
  { allowSkipped, failOnSkipped }: ReplayArgs,
  { stderr }: Io,
): boolean {
  const empty = reports.filter(isSkipped)
  for (const { file } of empty) stderr.write(`gateway-sim: ${file}: all requests were skipped\n`)
  const skipped = reports.reduce((sum, { counts }) => sum + counts.skipped, 0)
  if (failOnSkipped && skipped > 0) {
    const steps = skipped === 1 ? '1 step was' : `${skipped} steps were`
    stderr.write(`gateway-sim: ${steps} skipped, and --fail-on-skipped is set\n`)
    return true
  }
  if (allowSkipped || failOnSkipped || empty.length === 0) return false
  stderr.write(
    `gateway-sim: Exiting with ${exitCodes.skipped}: every step of a scenario was skipped. ` +
      'Use --allow-skipped to exit with 0.\n',
  )
  return true
}

/** The settings of the in-process simulator. Links keep the URL of the simulator. */
async function readSettings({ config }: ReplayArgs, { cwd, stderr }: Io): Promise<SettingsInput> {
  const file = findSettingsFile(config, cwd)
  if (file === undefined) return {}
  const { publicUrl: _, ...settings } = await readSettingsFile(file)
  stderr.write(`gateway-sim settings: ${file.shown}\n`)
  return settings
}

// Reports all errors of all files at once, including those that only a simulator finds.
async function loadScenarios(
  flags: ReplayArgs,
  around: { readonly allowFiles: readonly string[]; readonly settings: SettingsInput },
  io: Io,
): Promise<Scenario[]> {
  const errors: ScenarioFinding[] = []
  const scenarios: Scenario[] = []
  const files = await readScenarioFiles(await findScenarioFiles(flags.files, io.cwd), io)
  for (const { scenario, errors: found } of files) {
    errors.push(...found)
    if (scenario === undefined) continue
    scenarios.push(scenario)
    try {
      const { core } = createSimulator({ scenarios: [scenario], ...around })
      errors.push(...errorsOfStepFiles(scenario, core.reader))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      errors.push(
        ...(error.findings.length > 0
          ? error.findings.map((finding) => ({ file: scenario.name, ...finding }))
          : [{ file: scenario.name, field: '', message: error.message }]),
      )
    }
  }
  if (errors.length > 0) throw fileError(errorsMessage(errors, files))
  if (!scenarios.some(({ spec }) => spec.steps !== undefined))
    throw fileError(`${flags.files.join(', ')}: no file has \`steps\`. Add steps to a scenario to replay it.`)
  return scenarios
}

interface TargetServer {
  /** Without a trailing slash, and without `/v1`. */
  readonly base: string
  /** Real milliseconds. */
  readonly timeout: number
  readonly control: ControlAccess
}

const defaultTimeout = 300_000

/** Flags that need a server, with the reason. */
const needsServer = {
  apiKey: ['--api-key', 'uses the API keys from the file'],
  timeout: ['--timeout', 'runs on virtual time'],
  controlToken: ['--control-token', 'does not use the control API'],
} as const

/** The server to test; undefined for an in-process replay. Throws `CommandError` for invalid flags. */
function serverOf(flags: ReplayArgs, env: Io['env']): TargetServer | undefined {
  const { baseUrl, apiKey, controlToken, config } = flags
  const timeout = durationOf('--timeout', flags.timeout) ?? defaultTimeout
  if (apiKey.some((key) => key.trim() === ''))
    throw usageError('--api-key: expected KEY or NAME=KEY, got an empty value')
  if (baseUrl === undefined) {
    for (const [name, [flag, why]] of Object.entries(needsServer)) {
      const given = flags[name as keyof typeof needsServer]
      if (given !== undefined && !(Array.isArray(given) && given.length === 0))
        throw usageError(`${flag} needs --base-url: an in-process replay ${why}`)
    }
    return undefined
  }
  if (config !== undefined)
    throw usageError('--config and --base-url are mutually exclusive: a server has its own settings')
  const control = { token: controlToken ?? env['GATEWAY_SIM_CONTROL_TOKEN'] }
  return { base: baseUrlOf('--base-url', baseUrl), timeout, control }
}

/** Parses `KEY` and `NAME=KEY`. Throws `CommandError` for a name that is in no scenario. */
function parseKeys(apiKeys: readonly string[], scenarios: readonly Scenario[]): GivenKeys {
  const reject = (message: string): never => {
    throw usageError(`--api-key: ${message}`)
  }
  const names = [...new Set(scenarios.flatMap(keyNamesOf))]
  const byName = new Map<string, string>()
  let first: string | undefined
  for (const flag of apiKeys) {
    const name = names.find((known) => flag.startsWith(`${known}=`))
    if (name !== undefined) {
      const key = flag.slice(name.length + 1)
      if (key.trim() === '') reject(`expected an API key after ${name}=, got nothing`)
      byName.set(name, key)
      continue
    }
    // A key may end with `=` (padding of base64).
    const unknown = /^([^=]+)=[^=]/.exec(flag)?.[1]
    if (unknown !== undefined) {
      const hint = didYouMean(unknown, names)
      reject(`no scenario has an API key named ${unknown}: ${hint}`)
    }
    if (first !== undefined)
      reject('expected one KEY without a name, got two: KEY replaces the first API key of each scenario')
    first = flag
  }
  return { first, byName }
}

/** Probes the server. Throws `CommandError` if it cannot be reached, or if a key is missing. */
async function connect(server: TargetServer, hasKeys: boolean): Promise<Remote> {
  const { base, timeout, control } = server
  const remote = await reaching(server, () => probe(base, timeout, control))
  if (remote.kind === 'gateway' && !hasKeys)
    throw usageError(
      `--base-url ${base}: this server is not gateway-sim, and needs an API key: add --api-key KEY`,
    )
  return remote
}

/** Calls the control API. Throws `CommandError` if it cannot be reached or rejects the request. */
async function reaching<Result>({ base }: TargetServer, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ControlRejection) throw usageError(`--base-url ${base}: ${rejectionOf(error)}`)
    if (!(error instanceof Unreachable)) throw error
    throw new CommandError(exitCodes.gateway, `--base-url ${base}: cannot be reached (${error.message})`)
  }
}
