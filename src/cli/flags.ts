/** The flags of the commands, and what their values can be. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDuration } from '../engine/duration.ts'
import { docsPage } from '../protocol/docs-page.ts'
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

function choice<const Choices extends readonly [string, ...string[]]>(describe: string, choices: Choices) {
  return {
    type: 'string',
    requiresArg: true,
    describe,
    choices,
    default: choices[0] as Choices[number],
  } as const
}

const defaultUrl = 'http://127.0.0.1:4010'

// What several commands have is declared once, so that it has the same name and meaning everywhere.
const allowFiles = list('Additional folder from which scenarios can load files with `file:`; repeatable')
const baseUrl = (describe: string, shown?: string) => text(`URL of ${describe}, with or without /v1`, shown)
const config = text(
  'Settings file in YAML or JSON',
  'gateway-sim.config.yaml, .yml or .json in the current folder',
)
const controlToken = (describe: string, shown?: string) =>
  text(describe, `GATEWAY_SIM_CONTROL_TOKEN${shown === undefined ? '' : `, else ${shown}`}`)
const format = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  choice('Output format', choices)
const host = { ...text('Address to listen on; 0.0.0.0 for all interfaces'), default: '127.0.0.1' } as const
const operation = (describe: string) =>
  list(`${describe}: an id (chat.create) or a group (videos.*); repeatable`)
const output = { ...text('File to write', 'standard output'), alias: 'o' } as const
const port = (initial: number) => ({ ...value('Port; 0 picks a free one'), default: initial }) as const
const readyFile = text('JSON file to write once the server is ready, with url, port, pid and version')
const report = list(
  'Report as FORMAT=FILE, or FORMAT instead of the usual output: text, json, junit, markdown, github ' +
    '(annotations), har or html (all requests, html as a standalone page); repeatable',
)
const simulatorUrl = baseUrl('the simulator', `GATEWAY_SIM_URL, else ${defaultUrl}`)
const session = text('Name of the session', 'default')

/**
 * Hidden aliases, for flags that people guess: `--url` works where a command has `--base-url`, and `--json`
 * is `--format json`.
 */
export const hiddenAliases: Readonly<Record<string, readonly [flag: string, value?: string]>> = {
  url: ['base-url'],
  upstream: ['base-url'],
  token: ['control-token'],
  out: ['output'],
  json: ['format', 'json'],
}

/** Flags with similar meanings: an unknown flag suggests those of its line that the command has. */
export const similarFlags: readonly (readonly string[])[] = [
  ['base-url', 'public-url', 'url', 'upstream', 'server', 'address', 'endpoint'],
  ['format', 'reporter', 'json', 'yaml', 'markdown', 'log'],
  ['report', 'junit'],
  ['output', 'out', 'trace', 'file'],
  ['timeout', 'job-timeout', 'limit', 'wait'],
  ['control-token', 'api-key', 'token', 'key'],
  ['recordings', 'recording', 'har'],
  ['operation', 'only', 'filter'],
  ['quiet', 'silent'],
]

/** What `--fail-on` can name. */
export const failures = {
  'client-report': `findings with severity error or warning, but not hint (${docsPage('findings')})`,
  unmatched: 'requests to unknown paths and, in strict mode, requests that match no rule',
  unused: 'rules in `--scenario` files or session scenarios that never matched',
  rejected: 'requests rejected because of their content, not because of a rule or a reserved value',
  'no-requests': 'no requests; the clients may use another base URL',
} as const
export type Failure = keyof typeof failures

/** The flags of the commands that start a server, with the defaults of `port` and `clock`. */
function serverFlags(defaultPort: number, clock: string) {
  return {
    port: port(defaultPort),
    host,
    seed: text('Seed for all randomness'),
    clock: text(
      'Clock mode: real (follows the wall clock), manual (advanced through /__sim) or auto (each poll ' +
        'advances the polled job)',
      clock,
    ),
    speed: value('Speed of a real clock relative to the wall clock', '1'),
    start: text('Initial virtual time, in ISO 8601', 'now; 2026-01-01 with manual and auto'),
    config,
    'public-url': text('Base URL for links in responses, if clients use a different URL for the server'),
    scenario: list('Scenario files or folders; --seed, --clock, --start and --speed override their values'),
    'allow-files': allowFiles,
    recordings: text('HAR file or folder to play back'),
    'on-miss': {
      ...text('Handling of unrecorded requests: simulate, or reject (422)', 'simulate'),
      choices: ['simulate', 'reject'],
    },
    strict: toggle(
      'Reject (422) requests that generate content or create a job or an upload URL but match no rule',
    ),
    explain: toggle('Explain each response in the log and in the x-sim-explain header'),
    'control-token': text(
      'Required token for requests to the control API',
      'none on loopback; generated and printed for any other --host',
    ),
    'control-origin': list('Origin whose web pages can use the control API, such as http://localhost:5173'),
    'control-host': list(
      'Host name, besides localhost, through which the control API is accessible without a token',
    ),
    handlers: text('Module with your own msw handlers, which take precedence over the simulator'),
  } as const
}

const commonServerFlags = serverFlags(4010, 'real')

export const serveFlags = {
  ...commonServerFlags,
  // Not for `exec`: its server is private, and the token in the shell belongs to another server.
  'control-token': controlToken(
    commonServerFlags['control-token'].describe,
    commonServerFlags['control-token'].defaultDescription,
  ),
  watch: toggle(
    'Reload scenario files when they change; if one is invalid, the last valid files stay in use',
  ),
  drain: value(
    'How long to keep serving requests after SIGTERM, while `ready` fails; a second signal stops the ' +
      'server at once',
    'none',
  ),
  format: choice('Format of the ready line and of the request log on stderr', ['pretty', 'json']),
  quiet: toggle('Suppress the request log and tips, but not warnings'),
  'ready-file': readyFile,
} as const

export const execFlags = {
  ...serverFlags(0, 'auto'),
  report,
  'fail-on': list(
    `Checks that fail the run (exit code 1): ${Object.keys(failures).join(', ')}; ` +
      `comma-separated or repeated`,
  ),
  log: toggle('Log each request to stderr'),
  format: choice('Format of the log and of the summary on stderr', ['pretty', 'json']),
  quiet: toggle('Suppress the summary, but not warnings or the reasons for a failure'),
} as const

export const initFlags = {
  runner: {
    ...text('Test runner', 'detected'),
    choices: ['vitest', 'jest', 'node', 'playwright', 'python'],
  },
  ci: { ...text('CI service to write a workflow for', 'none'), choices: ['github', 'gitlab'] },
  yes: toggle('No effect: init never prompts'),
} as const

export const trialFlags = {
  ...serverFlags(0, 'auto'),
  only: list('Try only this failure, operation, group (videos.*) or OPERATION:FAILURE; repeatable'),
  except: list('Skip this failure, operation, group or OPERATION:FAILURE; repeatable'),
  each: toggle('Fail every request of the healthy run, instead of only the first request for each operation'),
  list: toggle('Perform only the healthy run, and list the other runs'),
  jobs: { ...value('Number of concurrent runs'), default: 1 },
  timeout: value('Wall-clock time limit for each run; at the limit, its processes are stopped', '30s'),
  repeat: {
    ...value('Number of times to do each run; differing verdicts become `unstable`, which is not acceptable'),
    default: 1,
  },
  accept: text(
    'YAML file of accepted verdicts with their reasons: a list of { operation, failure, verdict, reason, ' +
      'expires }',
    'gateway-sim.trial.yaml in the current folder',
  ),
  'accept-all': toggle('Add every verdict of this trial that is not acceptable to the --accept file'),
  expires: text('Last day on which the entries added by --accept-all are valid, such as 2026-12-31', 'none'),
  report,
  format: choice('Format of the table on stdout', ['pretty', 'json']),
  quiet: toggle('Suppress progress on stderr'),
} as const

export const readyFlags = {
  wait: toggle('Retry until the server is ready or the timeout expires'),
  'base-url': simulatorUrl,
  'ready-file': text('Read the URL from this file, written by `serve --ready-file`'),
  timeout: value('Maximum wait with --wait', '30s'),
  format: format(['pretty', 'json']),
} as const

export const mcpFlags = {
  'base-url': simulatorUrl,
  session,
  'control-token': controlToken('Token for the control API, if it requires one'),
  timeout: value('Maximum wait for each response from the simulator', '30s'),
} as const

/** The flags of the commands that control a running simulator. */
export const controlFlags = { ...mcpFlags, format: format(['pretty', 'json']) } as const

export const watchFlags = {
  failed: toggle(
    'Only failed requests: status 400 or above, no response, aborted, disconnected, or unmatched',
  ),
  operation: operation('Only requests for this operation'),
  ...controlFlags,
  session: text('Only requests in this session', 'all sessions'),
  timeout: value('Maximum wait for each response, and for a lost server to return', '30s'),
} as const

export const journalFlags = {
  operation: text('Only requests for this operation: an id (chat.create) or a group (videos.*)'),
  status: text('Only requests with this status: 429, or a class such as 4xx'),
  failed: toggle('Only failed requests, as in `watch --failed`'),
  limit: value('Maximum number of requests to list; older requests are omitted', '50'),
  ...controlFlags,
  format: format(['pretty', 'json', 'har']),
} as const

export const faultFlags = {
  operation: operation('Only requests for this operation'),
  nth: value('Only the request with this number among those that match, from 1', 'all'),
  times: value('Number of requests that get the fault; an outage also resets later ones', 'no limit'),
  ttl: value('Virtual time during which requests get the fault, such as 5m', 'no limit'),
  list: toggle('List the overrides of the session'),
  clear: toggle('Remove all overrides of the session, or the one with the given id, and end their outages'),
  ...controlFlags,
} as const

/** All faults, as a test confirms. */
export const faultNames = (
  'hang reset outage wrong-content-type wrong-length truncate corrupt malformed-json dribble stall-body ' +
  'disconnect stall error-event missing-end malformed-event split join duplicate out-of-order keep-alive ' +
  'line-ends bom multi-line-data rate-limit quota overloaded auth content-filter ambiguous-submit expired ' +
  'wrong-method tampered checksum-mismatch'
).split(' ')

export const clockActions = ['advance', 'next', 'idle', 'freeze', 'resume'] as const

export const clockFlags = {
  speed: value('With resume: the new speed relative to the wall clock', 'unchanged'),
  ...controlFlags,
} as const

export const resetFlags = {
  all: toggle('Reset all sessions'),
  ...controlFlags,
} as const

export const recordFlags = {
  'base-url': { ...baseUrl('the gateway to record'), demandOption: true },
  output: {
    ...text('Folder for the HAR files and large bodies; existing files are kept'),
    demandOption: true,
  },
  port: port(0),
  host,
  'ready-file': readyFile,
  check: toggle(
    'Check each response against the contract; print violations on stderr and a summary at the end',
  ),
  redact: list(
    'Name of a header, query parameter or JSON field to redact, or value:STRING for a string; repeatable',
  ),
  format: choice('Format of the ready line and of the request log on stderr', ['pretty', 'json']),
  quiet: toggle('Suppress the request log, but not warnings'),
} as const

export const replayFlags = {
  'base-url': baseUrl('the server that the steps run against', 'none: an in-process simulator'),
  'api-key': list(
    'API key for the server: KEY replaces the first API key of a scenario (or sk-scenario), and ' +
      'NAME=KEY replaces the ' +
      'API key NAME',
  ),
  'allow-files': allowFiles,
  config,
  format: format(['pretty', 'json', 'junit']),
  report,
  output: text('File for a trace of all requests and responses; identical for every in-process run'),
  timeout: value('Maximum wait for an `advance` step if the server has a real clock', '5m'),
  'allow-skipped': toggle('Exit with 0 instead of 5 if every step of a scenario was skipped'),
  'fail-on-skipped': toggle('Exit with 5 if any step was skipped'),
  'control-token': controlToken('Token for the control API, if the server is a simulator that requires one'),
  // Without a default: it needs --base-url.
} as const

export const checkFlags = {
  'base-url': baseUrl('the gateway to check'),
  'api-key': text('API key of the gateway (never printed)', 'GATEWAY_API_KEY'),
  recordings: list('HAR files or folders to check instead of a gateway'),
  spend: choice(
    'The requests to send: none that cost anything (only invalid ones), a little (text too) or all',
    ['none', 'little', 'all'],
  ),
  only: operation('Only this operation'),
  model: list(
    'Model for a group of operations, as GROUP=ID (chat=gpt-4o). Default: a model that ' +
      '/v1/models lists, or a guess',
  ),
  accept: text('YAML file of known violations with their reasons, which do not count'),
  'job-timeout': value('Maximum wait for each job or video to finish', '10m'),
  timeout: value('Time limit for the whole check; the remaining probes are skipped', 'none'),
  format: format(['pretty', 'json']),
  report,
  list: toggle('List the probes and the rules that they test, without sending requests'),
} as const

export const validateFlags = {
  format: choice('Output format; github prints annotations for a GitHub workflow', [
    'pretty',
    'json',
    'github',
  ]),
  'allow-files': allowFiles,
  config,
  report,
  'max-warnings': text('Maximum number of warnings before exit code 1'),
  each: toggle('Check each file separately instead of all files together'),
} as const

export const explainFlags = {
  operation: operation('Only rules for this operation'),
  format: format(['pretty', 'json']),
} as const

export const scenarioFlags = {
  output,
  'steps-only': toggle('Write only steps, without rules, to run against the recorded gateway'),
} as const

export const openapiFlags = {
  'json-schema': toggle('Print a JSON Schema of all requests, responses, events and errors'),
  format: format(['json', 'yaml']),
  output,
  operation: list('Only these operations (ids as in `gateway-sim routes`); repeatable'),
  'contract-only': toggle("Omit everything outside the gateway's contract"),
  'base-url': text('URL in `servers`', defaultUrl),
} as const

export const reservedFlags = { format: format(['pretty', 'json', 'markdown']) } as const
export const routesFlags = { format: format(['pretty', 'json']) } as const
export const diffFlags = { format: format(['pretty', 'json']), report } as const

type Files = { readonly files: readonly string[] }

export type ServerArgs = ArgsOf<ReturnType<typeof serverFlags>> & {
  readonly ui?: boolean | undefined
}
export type ServeArgs = ArgsOf<typeof serveFlags>
export type InitArgs = ArgsOf<typeof initFlags>
export type TrialArgs = ArgsOf<typeof trialFlags> & { readonly command: readonly string[] }
export type ExecArgs = ArgsOf<typeof execFlags> & { readonly command: readonly string[] }
export type ReadyArgs = ArgsOf<typeof readyFlags>
export type ControlArgs = ArgsOf<typeof mcpFlags>
export type WatchArgs = ArgsOf<typeof watchFlags>
export type JournalArgs = ArgsOf<typeof journalFlags> & { readonly id: string | undefined }
export type FaultArgs = ArgsOf<typeof faultFlags> & { readonly fault: string | undefined }
export type ClockArgs = ArgsOf<typeof clockFlags> & {
  readonly action: string | undefined
  readonly duration: string | undefined
}
export type ResetArgs = ArgsOf<typeof resetFlags>
export type ControlCallArgs = ArgsOf<typeof controlFlags> & { readonly words: readonly string[] }
export type ExplainCallArgs = ArgsOf<typeof controlFlags> & { readonly id: string }
export type RecordArgs = ArgsOf<typeof recordFlags>
export type ReplayArgs = ArgsOf<typeof replayFlags> & Files
export type CheckArgs = ArgsOf<typeof checkFlags>
export type ValidateArgs = ArgsOf<typeof validateFlags> & Files
export type ExplainArgs = ArgsOf<typeof explainFlags> & Files
export type ScenarioArgs = ArgsOf<typeof scenarioFlags> & { readonly action: string; readonly file: string }
export type OpenapiArgs = ArgsOf<typeof openapiFlags>
export type DiffArgs = ArgsOf<typeof diffFlags> & { readonly before: string; readonly after: string }

/** The folders of `--allow-files`. Throws `CommandError` for one that does not exist. */
export function allowedFolders(given: readonly string[] | undefined, cwd: string): string[] {
  return (given ?? []).map((name) => {
    const folder = resolve(cwd, name)
    if (name === '' || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw usageError(`--allow-files: expected an existing folder, got ${JSON.stringify(name)}`)
    return folder
  })
}

/** The URL of a flag without `/v1`. Throws `CommandError` for anything but an http(s) URL. */
export function baseUrlOf(flag: string, text: string, example = 'https://gateway.example'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol)
  if (!isAddress || url.search !== '' || url.hash !== '' || url.username !== '')
    throw usageError(`${flag}: expected a URL such as ${example}, got ${text}`)
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** The URL of a running simulator: `--base-url`, else GATEWAY_SIM_URL, else the default. */
export function simulatorUrlOf(
  { baseUrl: given }: { readonly baseUrl: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string {
  const url = given ?? env['GATEWAY_SIM_URL'] ?? defaultUrl
  return baseUrlOf(given === undefined ? 'GATEWAY_SIM_URL' : '--base-url', url, defaultUrl)
}

/** A flag that counts, undefined if it is not given. Throws `CommandError` unless it is from 1 to `most`. */
export function countOf(flag: string, given: unknown, most = Infinity): number | undefined {
  const count = given as number | undefined
  if (count === undefined || (Number.isInteger(count) && count > 0 && count <= most)) return count
  const range = most === Infinity ? 'above 0' : `from 1 to ${most}`
  throw usageError(`${flag}: expected a whole number ${range}, got ${JSON.stringify(given)}`)
}

/** The milliseconds of a flag, undefined if it is not given. Throws `CommandError` unless it is above 0. */
export function durationOf(flag: string, text: unknown, example = '30s or 10m'): number | undefined {
  const ms = text === undefined ? undefined : (parseDuration(text) ?? -1)
  if (ms === undefined || ms > 0) return ms
  const above = ms === 0 ? ' above 0' : ''
  throw usageError(`${flag}: expected a duration${above} such as ${example}, got ${JSON.stringify(text)}`)
}
