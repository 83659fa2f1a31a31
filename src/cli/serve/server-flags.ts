/** The flags of the commands that start a server. */
import type { InferredOptionTypes } from 'yargs'
import { allowFilesFlag } from '../allow-files.ts'
import type { SettingsFlags } from './settings.ts'

/** The values of these flags, unchecked. */
export interface ServerFlags {
  /** A number if one was given. */
  readonly port: unknown
  readonly host: string
  readonly config: string | undefined
  /** Scenario files and directories. */
  readonly scenarios: readonly string[]
  /** Folders whose files scenarios may name. */
  readonly allowFiles: readonly string[]
  readonly handlers: string | undefined
  /** A HAR file or a folder of them. */
  readonly recordings: string | undefined
  readonly onMiss: string | undefined
  readonly settings: SettingsFlags
}

export const controlTokenFlag = {
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

/** The flags by name, with the defaults of `port` and `clock`. */
export function serverFlags(port: number, clock: string) {
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
    config: {
      type: 'string',
      requiresArg: true,
      describe: 'Settings file in YAML or JSON; flags override it',
      defaultDescription: 'gateway-sim.config.yaml, .yml or .json, if present',
    },
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

/** Picks the values of these flags from a command's arguments. */
export function serverFlagsOf(args: InferredOptionTypes<ReturnType<typeof serverFlags>>): ServerFlags {
  const { port, host, config, handlers } = args
  return {
    port,
    host,
    config,
    scenarios: args.scenario ?? [],
    allowFiles: args['allow-files'] ?? [],
    handlers,
    recordings: args.recordings,
    onMiss: args['on-miss'],
    settings: {
      seed: args.seed,
      clock: args.clock,
      speed: args.speed,
      start: args.start,
      publicUrl: args['public-url'],
      control: {
        token: args['control-token'],
        origins: args['control-origin'],
        hosts: args['control-host'],
      },
      strict: args.strict || undefined,
      explain: args.explain || undefined,
    },
  }
}
