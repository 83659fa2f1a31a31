/** The flags of the commands that start a server. */

import type { ArgsOf } from '../command.ts'
import { allowFilesFlag, configFlag } from '../flags.ts'

const controlTokenFlag = {
  type: 'string',
  requiresArg: true,
  describe: 'Token that calls to the control API must carry',
  defaultDescription: 'none on loopback; generated and printed for any other --host',
} as const

const recordingFlags = {
  recordings: {
    type: 'string',
    requiresArg: true,
    describe: 'HAR file, or a directory of them: recorded calls get their recorded replies',
  },
  'on-miss': {
    type: 'string',
    choices: ['simulate', 'refuse'] as const,
    requiresArg: true,
    describe: 'Calls that were not recorded: simulate them, or refuse (422) and name the nearest',
    defaultDescription: 'simulate',
  },
} as const

/** The flags of both by name, with the defaults of `port` and `clock`. */
function serverFlags(port: number, clock: string) {
  return {
    // No type: yargs parses numbers and keeps other text, so that the error message can quote it.
    port: { default: port, requiresArg: true, describe: 'Port; 0 picks a free one' },
    host: {
      type: 'string',
      default: '127.0.0.1',
      requiresArg: true,
      describe: 'Address to listen on; 0.0.0.0 for every interface',
    },
    seed: {
      type: 'string',
      requiresArg: true,
      describe: 'Seed of all randomness: the same requests get the same bytes',
    },
    clock: {
      type: 'string',
      requiresArg: true,
      describe: 'real (wall clock), manual (moved over /__sim) or auto (every poll advances its own job)',
      defaultDescription: clock,
    },
    speed: {
      requiresArg: true,
      describe: 'How many times faster than the wall clock a real clock runs',
      defaultDescription: '1',
    },
    start: {
      type: 'string',
      requiresArg: true,
      describe: 'Virtual time at the start, ISO 8601',
      defaultDescription: 'now; 2026-01-01 in manual and auto',
    },
    config: configFlag,
    'public-url': {
      type: 'string',
      requiresArg: true,
      describe: 'URL to use in links, if clients reach the server by another one',
    },
    scenario: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Scenario files or directories; --seed, --clock, --start and --speed override them',
    },
    'allow-files': allowFilesFlag,
    ...recordingFlags,
    strict: {
      type: 'boolean',
      default: false,
      describe: 'Refuse (422) creating calls that match no rule, and name the closest rules',
    },
    explain: {
      type: 'boolean',
      default: false,
      describe: 'Explain each reply in the log and in the header x-sim-explain',
    },
    'control-token': controlTokenFlag,
    'control-origin': {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Origin whose web pages may use the control API, such as http://localhost:5173',
    },
    'control-host': {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Host name by which the control API may be called without a token, besides localhost',
    },
    handlers: {
      type: 'string',
      requiresArg: true,
      describe: 'Module with your own msw handlers; they take precedence over the simulator',
    },
  } as const
}

/** The flags of `serve`. */
export const serveFlags = {
  ...serverFlags(4010, 'real'),
  'control-token': {
    ...controlTokenFlag,
    // Not for `exec`: its server is private, and what the shell has is for another one.
    defaultDescription: `GATEWAY_SIM_CONTROL_TOKEN, else ${controlTokenFlag.defaultDescription}`,
  },
  watch: {
    type: 'boolean',
    default: false,
    describe: 'Reload scenario files when they change; invalid files leave the last valid ones in use',
  },
  metrics: {
    type: 'boolean',
    default: false,
    describe: 'Count calls, and serve metrics for Prometheus at /__sim/metrics',
  },
  log: {
    type: 'string',
    choices: ['pretty', 'json'],
    default: 'pretty',
    requiresArg: true,
    describe: 'Format of the ready line and of the call log on stderr',
  },
  quiet: { type: 'boolean', default: false, describe: 'Print no call log and no hints; warnings stay' },
  'ready-file': {
    type: 'string',
    requiresArg: true,
    describe: 'Create this file when the server is ready: JSON with url, port, pid and version',
  },
} as const

/** What `--fail-on` can name. */
export const failures = {
  'client-report': 'findings of severity error or warning (docs/client-report.md); hints do not count',
  unmatched: 'calls to unknown paths and, in strict mode, calls that match no rule',
  unused: 'rules that never answered, from `--scenario` or from the scenarios of sessions',
  refused: 'calls refused because of their content, not by a rule or a reserved value',
  'no-calls': 'the command called nothing here: its clients use another address',
} as const
export type Failure = keyof typeof failures

/** The flags of `exec`. */
export const execFlags = {
  ...serverFlags(0, 'auto'),
  report: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'Write a report: junit=FILE, json=FILE or md=FILE; repeatable',
  },
  'fail-on': {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: `Exit with 1 on any of ${Object.keys(failures).join(', ')}; comma-separated or repeated`,
  },
  log: {
    type: 'string',
    choices: ['pretty', 'json'],
    requiresArg: true,
    describe: 'Log each call to stderr in this format',
    defaultDescription: 'no call log',
  },
  quiet: {
    type: 'boolean',
    default: false,
    describe: 'Print no summary, only warnings and the reasons for a failure',
  },
} as const

/** The values of the flags of both, unchecked. */
export type ServerArgs = ArgsOf<ReturnType<typeof serverFlags>> & { readonly metrics?: boolean }
export type ServeArgs = ArgsOf<typeof serveFlags>
export type ExecArgs = ArgsOf<typeof execFlags> & { readonly command: readonly string[] }
