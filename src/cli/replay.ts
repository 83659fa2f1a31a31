/** `gateway-sim replay`. */
import { replayInProcess, replayOnServer, type ServerOptions } from '../run/replay.ts'
import { replayReport, type StoryReport } from '../run/replay-report.ts'
import { errorsOf, type Surroundings } from '../run/validation.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import type { TracedRun } from '../trace/collect-trace.ts'
import { type ArgsOf, defineCommand, fileError, type Io, outcomeCodes, usageError } from './command.ts'
import {
  allowedFolders,
  allowFiles,
  apiKeyOf,
  baseUrl,
  baseUrlOf,
  clientFlags,
  config,
  durationOf,
  format,
  report,
  text,
  value,
} from './flags.ts'
import { prepareReports, printedAs, requestFormats } from './output-files.ts'
import { progressOn } from './painter.ts'
import { resultOf } from './running/simulator.ts'
import { readValidScenarios } from './scenario-files.ts'
import { type UsedSettings, usedSettings } from './settings-file.ts'
import { traceReport } from './trace-report.ts'

const flags = {
  'base-url': baseUrl('the server that the steps run against', 'none: an in-process simulator'),
  'api-key': text('API key for the server; replaces the first API key of a scenario', 'GATEWAY_API_KEY'),
  'allow-files': allowFiles,
  config,
  format,
  report,
  timeout: value('Maximum wait for a response, and for a state that `advance` would reach', '5m'),
  'control-token': clientFlags['control-token'],
} as const

type ReplayArgs = ArgsOf<typeof flags>

export const command = defineCommand({
  arguments: '<files..>',
  examples: [
    ['gateway-sim replay scenarios', 'Run the steps of all files in a folder, on virtual time'],
    ['gateway-sim replay a.yaml --base-url https://gw.example --api-key sk-1', 'Replay on a server'],
  ],
  flags,
  async handler({ files, ...args }, io) {
    const server = serverOf(args, io.env)
    const requests = server === undefined ? requestFormats : []
    const output = await prepareReports(args.report, io, { ...printedAs(args.format, io), requests })
    const allowFiles = allowedFolders(args.allowFiles, io.cwd)
    const { settings, file }: UsedSettings =
      server === undefined ? await usedSettings(args.config, io.cwd) : { settings: {} }
    if (file !== undefined) io.stderr.write(`gateway-sim settings: ${file.shown}\n`)
    const around = { allowFiles, settings }
    const read = await readValidScenarios(files, io, (scenario) => errorsOf([scenario], around))
    const scenarios = read.map(({ scenario }) => scenario)
    if (!scenarios.some(({ spec }) => spec.steps !== undefined))
      throw fileError(`${files.join(', ')}: no file has \`steps\`. Add steps to a scenario to replay it.`)
    const runs: TracedRun[] = []
    const run = server === undefined ? inProcess(around, runs, io) : onServer(server, allowFiles, io)
    const stories: StoryReport[] = []
    for (const scenario of scenarios) stories.push(await run(scenario))
    const title = `replay of ${stories.map(({ file }) => file).join(', ')}`
    const shown = replayReport(stories)
    await output.write(shown, (format) => traceReport(format, runs, { savedAt: Date.now(), title }))
    return outcomeCodes[shown.outcome]
  },
})

type TargetServer = Pick<ServerOptions, 'base' | 'apiKey' | 'limit' | 'controlToken'>

/** The server to test; undefined for an in-process replay. Throws `CommandError` for invalid flags. */
function serverOf(args: ReplayArgs, env: Io['env']): TargetServer | undefined {
  const { baseUrl: url, apiKey, controlToken: token } = args
  const limit = durationOf('--timeout', args.timeout)
  if (url === undefined) {
    if (apiKey !== undefined || limit !== undefined || token !== undefined)
      throw usageError('--api-key, --timeout and --control-token need --base-url')
    return undefined
  }
  if (args.config !== undefined)
    throw usageError('--config and --base-url are mutually exclusive: a server has its own settings')
  return {
    base: baseUrlOf('--base-url', url),
    limit: limit ?? 300_000,
    apiKey: () => apiKeyOf(apiKey, env),
    controlToken: token ?? env['GATEWAY_SIM_CONTROL_TOKEN'],
  }
}

type RunOne = (scenario: Scenario) => Promise<StoryReport>

function onServer(server: TargetServer, allowFiles: readonly string[], io: Io): RunOne {
  const show = progressOn(io)
  return (scenario) => {
    const onProgress = (step: string, message: string): void =>
      show(`${scenario.name}: step ${step}: ${message}`)
    const story = replayOnServer(scenario, { ...server, cwd: io.cwd, allowFiles, onProgress })
    return resultOf(
      story.finally(() => show('')),
      { url: server.base, timeout: server.limit },
    )
  }
}

function inProcess(around: Surroundings, runs: TracedRun[], { cwd, stderr }: Io): RunOne {
  return async (scenario) => {
    const { report: story } = await replayInProcess(scenario, {
      ...around,
      cwd,
      onWarning: (message) => stderr.write(`gateway-sim: ${scenario.name}: ${message}\n`),
      onEnd: ({ core }) => void runs.push({ sessions: [...core.sessions.all()], parts: core }),
    })
    return story
  }
}
