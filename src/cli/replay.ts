/** `gateway-sim replay`. */
import type { SettingsInput } from '../generated/settings-types.ts'
import { ControlRejection, probe, type Remote, Unreachable } from '../run/remote.ts'
import { type GivenKeys, keyNamesOf, replayInProcess, replayRemote } from '../run/replay.ts'
import { isSkipped, replayReport, type StoryReport, traceText } from '../run/replay-report.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import type { TracedRun } from '../trace/collect-trace.ts'
import {
  type ArgsOf,
  CommandError,
  defineCommand,
  type ExitCode,
  exitCodes,
  fileError,
  type Io,
  usageError,
} from './command.ts'
import {
  allowedFolders,
  allowFiles,
  baseUrl,
  baseUrlOf,
  clientFlags,
  config,
  durationOf,
  format,
  list,
  report,
  text,
  value,
} from './flags.ts'
import { prepareReports, printedAs, requestFormats, writeOutput } from './output-files.ts'
import { rejectionText } from './running/simulator.ts'
import { findScenarioFiles, readScenarioFiles } from './scenario-files.ts'
import { errorsMessage, findSettingsFile, readSettingsFile } from './settings-file.ts'
import { traceReport } from './trace-report.ts'
import { errorsOf } from './validate.ts'

const flags = {
  'base-url': baseUrl('the server that the steps run against', 'none: an in-process simulator'),
  'api-key': list(
    'API key for the server: KEY replaces the first API key of a scenario (or sk-scenario), and NAME=KEY ' +
      'the API key NAME; repeatable',
  ),
  'allow-files': allowFiles,
  config,
  format,
  report,
  output: text('File for a trace of all requests and responses; identical for every in-process run'),
  timeout: value('Maximum wait for an `advance` step if the server has a real clock', '5m'),
  'control-token': clientFlags['control-token'],
} as const

type ReplayArgs = ArgsOf<typeof flags>

export const command = defineCommand({
  arguments: '<files..>',
  examples: [
    ['gateway-sim replay scenarios', 'Run the steps of all files in a folder, on virtual time'],
    [
      'gateway-sim replay video.yaml --base-url https://gw.example --api-key sk-1',
      'Run the steps against a server',
    ],
  ],
  flags,
  async handler({ files, ...args }, io) {
    const server = serverOf(args, io.env)
    const requests = server === undefined ? requestFormats : []
    const output = await prepareReports(args.report, io, { ...printedAs(args.format, io), requests })
    const folders = allowedFolders(args.allowFiles, io.cwd)
    const settings = server === undefined ? await readSettings(args, io) : {}
    const scenarios = await loadScenarios(files, { allowFiles: folders, settings }, io)
    const runs: TracedRun[] = []
    const run = await runnerOf(server, { allowFiles: folders, settings, runs }, io)
    const stories: StoryReport[] = []
    for (const scenario of scenarios) stories.push(await run(scenario))
    if (args.output !== undefined)
      await writeOutput({ flag: '--output', shown: args.output }, traceText(stories), io)
    const title = `replay of ${stories.map(({ file }) => file).join(', ')}`
    await output.write(replayReport(stories), (format) =>
      traceReport(format, runs, { savedAt: Date.now(), title }),
    )
    return exitCodeOf(stories, io)
  },
})

function exitCodeOf(stories: readonly StoryReport[], { stderr }: Io): ExitCode {
  const skipped = stories.filter(isSkipped)
  for (const { file } of skipped) stderr.write(`gateway-sim: ${file}: all requests were skipped\n`)
  if (stories.some(({ outcome }) => outcome === 'failed')) return exitCodes.failed
  return skipped.length > 0 ? exitCodes.skipped : exitCodes.ok
}

interface TargetServer {
  /** Without a trailing slash, and without `/v1`. */
  readonly base: string
  /** Real milliseconds. */
  readonly timeout: number
  readonly token: string | undefined
  readonly keys: readonly string[]
}

/** The server to test; undefined for an in-process replay. Throws `CommandError` for invalid flags. */
function serverOf(args: ReplayArgs, env: Io['env']): TargetServer | undefined {
  const { baseUrl: url, apiKey: keys, controlToken: token } = args
  const timeout = durationOf('--timeout', args.timeout)
  if (keys.some((key) => key.trim() === ''))
    throw usageError('--api-key: expected KEY or NAME=KEY, got an empty value')
  if (url === undefined) {
    if (keys.length > 0 || timeout !== undefined || token !== undefined)
      throw usageError('--api-key, --timeout and --control-token need --base-url')
    return undefined
  }
  if (args.config !== undefined)
    throw usageError('--config and --base-url are mutually exclusive: a server has its own settings')
  return {
    base: baseUrlOf('--base-url', url),
    timeout: timeout ?? 300_000,
    token: token ?? env['GATEWAY_SIM_CONTROL_TOKEN'],
    keys,
  }
}

/** The settings of the in-process simulator. Links keep the URL of the simulator. */
async function readSettings({ config: given }: ReplayArgs, { cwd, stderr }: Io): Promise<SettingsInput> {
  const file = findSettingsFile(given, cwd)
  if (file === undefined) return {}
  const { publicUrl: _, ...settings } = await readSettingsFile(file)
  stderr.write(`gateway-sim settings: ${file.shown}\n`)
  return settings
}

interface Surroundings {
  readonly allowFiles: readonly string[]
  readonly settings: SettingsInput
}

/** Reports all errors of all files at once, including those that only a simulator finds. */
async function loadScenarios(names: readonly string[], around: Surroundings, io: Io): Promise<Scenario[]> {
  const files = await readScenarioFiles(await findScenarioFiles(names, io.cwd), io)
  const scenarios = files.flatMap(({ scenario }) => scenario ?? [])
  const errors = [
    ...files.flatMap((file) => file.errors),
    ...scenarios.flatMap((scenario) => errorsOf([scenario], around)),
  ]
  if (errors.length > 0) throw fileError(errorsMessage(errors, files))
  if (!scenarios.some(({ spec }) => spec.steps !== undefined))
    throw fileError(`${names.join(', ')}: no file has \`steps\`. Add steps to a scenario to replay it.`)
  return scenarios
}

/** Runs one scenario, in this process or against the server. */
async function runnerOf(
  server: TargetServer | undefined,
  around: Surroundings & { readonly runs: TracedRun[] },
  io: Io,
): Promise<(scenario: Scenario) => Promise<StoryReport>> {
  const { settings, runs, allowFiles: folders } = around
  const remote = server === undefined ? undefined : await connect(server)
  return async (scenario) => {
    const files = { cwd: io.cwd, allowFiles: folders }
    if (server !== undefined && remote !== undefined) {
      const keys = keysFor(scenario, server.keys)
      return reaching(server, () => replayRemote(scenario, remote, { ...files, keys, limit: server.timeout }))
    }
    const { report: story } = await replayInProcess(scenario, {
      ...files,
      settings,
      onWarning: (message) => io.stderr.write(`gateway-sim: ${scenario.name}: ${message}\n`),
      onEnd: ({ core }) => void runs.push({ sessions: [...core.sessions.all()], parts: core }),
    })
    return story
  }
}

/** `NAME=KEY` for the names of a scenario; another key replaces its first one. */
function keysFor(scenario: Scenario, given: readonly string[]): GivenKeys {
  const names = keyNamesOf(scenario)
  const named = given.flatMap((word): [string, string][] => {
    const name = names.find((known) => word.startsWith(`${known}=`))
    return name === undefined ? [] : [[name, word.slice(name.length + 1)]]
  })
  const first = given.find((word) => !names.some((known) => word.startsWith(`${known}=`)))
  return { first, byName: new Map(named) }
}

/** Probes the server. Throws `CommandError` if it cannot be reached, or if a key is missing. */
async function connect(server: TargetServer): Promise<Remote> {
  const { base, timeout, token, keys } = server
  const remote = await reaching(server, () => probe(base, timeout, { token }))
  if (remote.kind === 'gateway' && keys.length === 0)
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
    if (error instanceof ControlRejection) throw usageError(`--base-url ${base}: ${rejectionText(error)}`)
    if (!(error instanceof Unreachable)) throw error
    throw new CommandError(exitCodes.gateway, `--base-url ${base}: cannot be reached (${error.message})`)
  }
}
