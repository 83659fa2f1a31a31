/** The flags of every command that starts a server of its own. */
import type { InferredOptionTypes } from 'yargs'
import type { SettingsFlags } from './settings.ts'

/** What a server is started with, as it was written. */
export interface ServerFlags {
  /** A number when it was one. */
  readonly port: unknown
  readonly host: string
  readonly config: string | undefined
  /** Scenario files. */
  readonly scenarios: readonly string[]
  readonly handlers: string | undefined
  readonly settings: SettingsFlags
}

/** The flags by name; `port` and `clock` are what the server has when nobody says otherwise. */
export function serverFlags(port: number, clock: string) {
  return {
    // Without a type yargs reads numbers and leaves other text as it is, so that a refusal can show what was
    // written.
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
      describe: 'Root of all chance: same seed, same requests, same bytes',
    },
    clock: {
      type: 'string',
      requiresArg: true,
      describe:
        'Who moves time: real (the wall clock), manual (you, over /__sim), auto (each poll moves its own job on)',
      defaultDescription: clock,
    },
    speed: {
      requiresArg: true,
      describe: 'How much faster than the wall clock a real clock runs',
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
      describe: 'Settings in YAML or JSON; flags win over it',
      defaultDescription: 'gateway-sim.config.yaml, .yml or .json, when there is one',
    },
    'public-url': {
      type: 'string',
      requiresArg: true,
      describe: 'Address written into links, when clients reach the server by another one',
    },
    scenario: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Scenario files; several compose. --seed, --clock, --start and --speed win over it',
    },
    strict: {
      type: 'boolean',
      default: false,
      describe:
        'Refuse (422) calls that make something and that no rule names, and say which rules came nearest',
    },
    explain: {
      type: 'boolean',
      default: false,
      describe: 'Say in the log and in the header x-sim-explain why each reply is as it is',
    },
    'control-token': {
      type: 'string',
      requiresArg: true,
      describe: 'What calls of the control API must carry',
      defaultDescription: 'none on loopback; one is made and shown for any other --host',
    },
    handlers: {
      type: 'string',
      requiresArg: true,
      describe: 'Module with your own msw handlers; they answer before the simulator',
    },
  } as const
}

/** The values of these flags among all that a command was given. */
export function serverFlagsOf(args: InferredOptionTypes<ReturnType<typeof serverFlags>>): ServerFlags {
  const { port, host, config, handlers } = args
  return {
    port,
    host,
    config,
    scenarios: args.scenario ?? [],
    handlers,
    settings: {
      seed: args.seed,
      clock: args.clock,
      speed: args.speed,
      start: args.start,
      publicUrl: args['public-url'],
      controlToken: args['control-token'],
      strict: args.strict || undefined,
      explain: args.explain || undefined,
    },
  }
}
