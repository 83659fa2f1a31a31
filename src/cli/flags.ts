/** The flags of the commands, and what their values can be. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDuration } from '../engine/duration.ts'
import { type ArgsOf, usageError } from './command.ts'

function text(describe: string, shown?: string) {
  return { type: 'string', requiresArg: true, describe, defaultDescription: shown } as const
}

function list(describe: string) {
  return { type: 'string', array: true, requiresArg: true, describe } as const
}

function toggle(describe: string) {
  return { type: 'boolean', default: false, describe } as const
}

/** A value of any type: yargs parses numbers and keeps other text, so that an error message can quote it. */
function value(describe: string, shown?: string) {
  return { requiresArg: true, describe, defaultDescription: shown } as const
}

const allowFiles = list('Folder whose files scenarios may name with `file:`, besides their own folder')
const config = text(
  'Settings file in YAML or JSON; flags override it',
  'gateway-sim.config.yaml, .yml or .json, if present',
)
const json = toggle('Print JSON')
const controlPrefix = { ...text('Path prefix of the control API'), default: '/__sim' } as const
const operations = 'Only these operations (ids as in `gateway-sim routes`); repeatable'
const host = {
  ...text('Address to listen on; 0.0.0.0 for every interface'),
  default: '127.0.0.1',
} as const
export const defaultUrl = 'http://127.0.0.1:4010'
const fromEnvironment = `GATEWAY_SIM_URL, else ${defaultUrl}`

/** What `--fail-on` can name. */
export const failures = {
  'client-report': 'findings of severity error or warning (docs/reference/findings.md); hints do not count',
  unmatched: 'calls to unknown paths and, in strict mode, calls that match no rule',
  unused: 'rules that never answered, from `--scenario` or from the scenarios of sessions',
  refused: 'calls refused because of their content, not by a rule or a reserved value',
  'no-calls': 'the command called nothing here: its clients use another address',
} as const
export type Failure = keyof typeof failures

const controlToken = text(
  'Token that calls to the control API must carry',
  'none on loopback; generated and printed for any other --host',
)

/** The flags of the commands that start a server, with the defaults of `port` and `clock`. */
function serverFlags(port: number, clock: string) {
  return {
    port: { ...value('Port; 0 picks a free one'), default: port },
    host,
    seed: text('Seed of all randomness: the same requests get the same bytes'),
    clock: text(
      'real (wall clock), manual (moved over /__sim) or auto (every poll advances its own job)',
      clock,
    ),
    speed: value('How many times faster than the wall clock a real clock runs', '1'),
    start: text('Virtual time at the start, ISO 8601', 'now; 2026-01-01 in manual and auto'),
    config,
    'public-url': text('URL to use in links, if clients reach the server by another one'),
    scenario: list('Scenario files or directories; --seed, --clock, --start and --speed override them'),
    'allow-files': allowFiles,
    recordings: text('HAR file, or a directory of them: recorded calls get their recorded replies'),
    'on-miss': {
      ...text(
        'Calls that were not recorded: simulate them, or refuse (422) and name the nearest',
        'simulate',
      ),
      choices: ['simulate', 'refuse'],
    },
    strict: toggle('Refuse (422) creating calls that match no rule, and name the closest rules'),
    explain: toggle('Explain each reply in the log and in the header x-sim-explain'),
    'control-token': controlToken,
    'control-origin': list('Origin whose web pages may use the control API, such as http://localhost:5173'),
    'control-host': list(
      'Host name by which the control API may be called without a token, besides localhost',
    ),
    handlers: text('Module with your own msw handlers; they take precedence over the simulator'),
  } as const
}

export const serveFlags = {
  ...serverFlags(4010, 'real'),
  // Not for `exec`: its server is private, and what the shell has is for another one.
  'control-token': text(
    controlToken.describe,
    `GATEWAY_SIM_CONTROL_TOKEN, else ${controlToken.defaultDescription}`,
  ),
  watch: toggle('Reload scenario files when they change; invalid files leave the last valid ones in use'),
  metrics: toggle('Count calls, and serve metrics for Prometheus at /__sim/metrics'),
  log: {
    ...text('Format of the ready line and of the call log on stderr'),
    choices: ['pretty', 'json'],
    default: 'pretty',
  },
  quiet: toggle('Print no call log and no hints; warnings stay'),
  'ready-file': text('Create this file when the server is ready: JSON with url, port, pid and version'),
} as const

export const execFlags = {
  ...serverFlags(0, 'auto'),
  report: list('Write a report: junit=FILE, json=FILE or md=FILE; repeatable'),
  'fail-on': list(`Exit with 1 on any of ${Object.keys(failures).join(', ')}; comma-separated or repeated`),
  log: { ...text('Log each call to stderr in this format', 'no call log'), choices: ['pretty', 'json'] },
  quiet: toggle('Print no summary, only warnings and the reasons for a failure'),
} as const

export const readyFlags = {
  wait: toggle('Retry until the server is up or the timeout expires'),
  url: text('URL of the server', fromEnvironment),
  'ready-file': text('Read the URL from this file, written by `serve --ready-file`'),
  'control-prefix': controlPrefix,
  timeout: value('How long --wait retries', '30s'),
} as const

export const explainCallFlags = {
  url: text('URL of the simulator', fromEnvironment),
  session: text('Session of the call; not needed with a request id', 'default'),
  token: text('Token of the control API, if it requires one', 'GATEWAY_SIM_CONTROL_TOKEN'),
  'control-prefix': controlPrefix,
  json,
} as const

export const recordFlags = {
  upstream: { ...text('The real gateway (URL, with or without /v1)'), demandOption: true },
  out: {
    ...text('Folder for the HAR files and large bodies; files of earlier runs stay'),
    demandOption: true,
  },
  port: { ...value('Port; 0 picks a free one'), default: 0 },
  host,
  'ready-file': text('Create this file when the proxy is ready: JSON with url, port, pid and version'),
  check: toggle('Judge each reply by the contract as it passes: on stderr, and a summary at the end'),
  redact: list('A header, query parameter or JSON field whose values are not recorded, or value:TEXT'),
  quiet: toggle('Print no line per call; warnings stay'),
} as const

export const replayFlags = {
  'base-url': text('Run against this server (URL without /v1) instead of in-process'),
  'api-key': list(
    "API key for the server, in place of a scenario's first key (sk-scenario where it has none); " +
      'NAME=KEY is in place of the key NAME',
  ),
  'allow-files': allowFiles,
  config: { ...config, describe: 'Settings file for the in-process simulator' },
  reporter: { ...text('Output format'), choices: ['pretty', 'json', 'junit'], default: 'pretty' },
  trace: text('Write all requests and replies to this file; identical for every in-process run'),
  limit: value('Against a real clock, how long to wait for what `advance` would skip to', '5m'),
  'allow-skipped': toggle('Do not exit with 5 if every step of a scenario was skipped'),
  'fail-on-skipped': toggle('Exit with 5 if any step was skipped'),
  token: text(
    'Token of the control API, if the server is a simulator that requires one',
    'GATEWAY_SIM_CONTROL_TOKEN',
  ),
  'control-prefix': text('Path prefix of its control API', '/__sim'),
} as const

export const checkFlags = {
  'base-url': text('The gateway to check (URL without /v1)'),
  'api-key': text('A key that the gateway takes; it is in no output', 'GATEWAY_API_KEY'),
  recording: list('Judge this HAR file, or all in this folder, instead of asking a gateway'),
  spend: {
    ...text('What it may cost: nothing (only refusals), some tokens, or images and videos too'),
    choices: ['none', 'little', 'all'],
    default: 'none',
  },
  only: list('Check only this operation (chat.create) or group (videos.*)'),
  model: list('The model to use, GROUP=ID: chat=gpt-4o; else what /v1/models lists, or a guess'),
  accept: text('A YAML file of known deviations, which do not count'),
  limit: value('How long to wait for one job or video', '10m'),
  timeout: value('How long the whole check may take; what is left is not judged', 'none'),
  report: list('Write the report to a file too: json=FILE, junit=FILE or markdown=FILE'),
  list: toggle('Only list what would be sent, with the statement of the contract that it holds'),
} as const

export const validateFlags = {
  format: {
    ...text('Output format; github: annotations of a workflow'),
    choices: ['pretty', 'json', 'github'],
    default: 'pretty',
  },
  'allow-files': allowFiles,
  config: {
    ...config,
    describe: 'Settings file to check as well; the scenarios are checked with its settings',
  },
  'max-warnings': text('Exit with 1 if there are more warnings: 0 allows none'),
  each: toggle('Check each file on its own, not the set'),
} as const

export const explainFlags = {
  operation: list('Only rules for this operation or group (imageJobs.*); repeatable'),
  format: { ...text('Output format'), choices: ['pretty', 'json'], default: 'pretty' },
  ascii: toggle('Draw with ASCII characters only; the default where the locale is not UTF-8'),
} as const

export const scenarioFlags = {
  output: { ...text('File to write', 'standard output'), alias: 'o' },
  'steps-only': toggle(
    'Write no rules, so that `replay --base-url` runs every step against the recorded gateway',
  ),
} as const

export const openapiFlags = {
  'json-schema': toggle('Print a JSON Schema with a definition for every request, reply, event and error'),
  yaml: toggle('Print YAML instead of JSON'),
  output: text('Write to this file instead of stdout'),
  operation: list(operations),
  'contract-only': toggle("Leave out what is not in the gateway's contract, and describe replies as it does"),
  server: text('The URL in `servers`', 'http://127.0.0.1:4010'),
} as const

export const reservedFlags = {
  markdown: toggle('Print Markdown, as in docs/start/failures-without-setup.md'),
} as const
export const routesFlags = { json: toggle('Print a JSON array instead of a table') } as const
export const diffFlags = { json } as const

type Files = { readonly files: readonly string[] }

export type ServerArgs = ArgsOf<ReturnType<typeof serverFlags>> & { readonly metrics?: boolean }
export type ServeArgs = ArgsOf<typeof serveFlags>
export type ExecArgs = ArgsOf<typeof execFlags> & { readonly command: readonly string[] }
export type ReadyArgs = ArgsOf<typeof readyFlags>
export type ExplainCallArgs = ArgsOf<typeof explainCallFlags> & { readonly id: string }
export type RecordArgs = ArgsOf<typeof recordFlags>
export type ReplayArgs = ArgsOf<typeof replayFlags> & Files
export type CheckArgs = ArgsOf<typeof checkFlags>
export type ValidateArgs = ArgsOf<typeof validateFlags> & Files
export type ExplainArgs = ArgsOf<typeof explainFlags> & Files
export type ScenarioArgs = ArgsOf<typeof scenarioFlags> & { readonly action: string; readonly file: string }
export type OpenapiArgs = ArgsOf<typeof openapiFlags>

/** The folders of `--allow-files`. Throws `CommandError` for one that does not exist. */
export function allowedFolders(given: readonly string[] | undefined, cwd: string): string[] {
  return (given ?? []).map((name) => {
    const folder = resolve(cwd, name)
    if (name === '' || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw usageError(`--allow-files: expected an existing folder, got ${JSON.stringify(name)}`)
    return folder
  })
}

/** The URL of a flag without the `/v1` that SDKs need. Throws `CommandError` for no http(s) address. */
export function baseUrlOf(flag: string, text: string, example = 'https://gateway.example'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol)
  if (!isAddress || url.search !== '' || url.hash !== '' || url.username !== '')
    throw usageError(`${flag}: expected a URL such as ${example}, got ${text}`)
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** The milliseconds of a flag, undefined if it is not given. Throws `CommandError` for no duration, or 0. */
export function durationOf(flag: string, text: unknown, example = '30s or 10m'): number | undefined {
  const ms = text === undefined ? undefined : (parseDuration(text) ?? 0)
  if (ms !== 0) return ms
  throw usageError(`${flag}: expected a duration such as ${example}, got ${JSON.stringify(text)}`)
}
