/** Starts a server from the flags of a command. */
import { resolve } from 'node:path'
import type { ClockMode } from '../../engine/clock.ts'
import { defined } from '../../engine/fields.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { SettingsInput } from '../../generated/settings-types.ts'
import { createSimulator, type JournalEntry, type Simulator } from '../../index.ts'
import { type AccessLogLine, HarError, listen, type SimulatorServer } from '../../node.ts'
import { fieldErrors } from '../../protocol/field-errors.ts'
import { settingsSchema } from '../../protocol/settings.ts'
import { defaultKey, type ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { type ArgsOf, CommandError, exitCodes, fileError, type Io, usageError } from '../command.ts'
import {
  allowedFolders,
  allowFiles,
  config,
  host,
  list,
  port,
  portOf,
  text,
  toggle,
  value,
} from '../flags.ts'
import { type UsedSettings, usedSettings } from '../settings-file.ts'

/** The flags of the commands that start a server, with the defaults of `port` and `clock`. */
export function serverFlags(defaultPort: number, clock: ClockMode) {
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
    strict: toggle(
      'Reject (422) requests that generate content or create a job or an upload URL but match no rule',
    ),
    explain: toggle('Explain each response in the log and in the x-sim-explain header'),
    'control-token': text(
      'Required token for requests to the control API',
      'none on loopback; generated and printed for any other --host',
    ),
    handlers: text('Module with your own msw handlers, which take precedence over the simulator'),
  } as const
}

export type ServerArgs = ArgsOf<ReturnType<typeof serverFlags>>

export interface ServerOptions {
  /** The clock mode if neither a flag nor a file sets one. */
  readonly clock: ClockMode
  readonly onWarning: (message: string) => void
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
  readonly onCall?: (entry: JournalEntry) => void
  /** Precedes the scenarios of the flags. */
  readonly first?: ScenarioInput | undefined
  readonly wallClock?: (() => number) | undefined
}

export interface StartedServer {
  readonly simulator: Simulator
  readonly listening: SimulatorServer
  readonly set: ScenarioSet | undefined
  /** The settings file, as messages name it. */
  readonly settingsFile: string | undefined
}

/** Resolves when the server is ready. Throws `CommandError` for errors that the user can fix. */
export async function startServer(
  args: ServerArgs,
  { clock, onWarning, accessLog, onCall, first, wallClock }: ServerOptions,
  io: Io,
): Promise<StartedServer> {
  const { host, scenario } = args
  const port = portOf(args.port)
  const { settings, file } = await settingsOf(args, io.cwd)
  const allowFiles = allowedFolders(args.allowFiles, io.cwd)
  const files = scenario.length === 0 ? undefined : await import('../scenario-files.ts')
  const set = await files?.readScenarioSet(scenario, allowFiles, io)
  const handlers = await handlersOf(args, io)
  const recordings = await recordingsOf(args, io.cwd, onWarning)
  const options = {
    settings,
    allowFiles,
    clock: settings.clock?.mode ?? set?.composed.clock.mode ?? clock,
    onWarning,
    onCall,
    ...(wallClock === undefined ? {} : { wallClock }),
    scenarios: [...(first === undefined ? [] : [first]), ...(set?.scenarios ?? []), ...recordings],
    publicUrl: settings.publicUrl,
  }
  const create = (): Simulator => createSimulator(options)
  const simulator = files === undefined ? create() : files.withFileErrors(create)
  try {
    const listening = await listen(simulator, { port, host, handlers, accessLog })
    return { simulator, listening, set, settingsFile: file?.shown }
  } catch (error) {
    throw listenError(error, args)
  }
}

async function handlersOf({ handlers }: ServerArgs, { cwd }: Io): Promise<readonly unknown[] | undefined> {
  if (handlers === undefined) return undefined
  const { loadHandlers } = await import('./load-handlers.ts')
  return loadHandlers(handlers, cwd)
}

async function recordingsOf({ recordings }: ServerArgs, cwd: string, warn: ServerOptions['onWarning']) {
  if (recordings === undefined) return []
  const { readRecordings } = await import('../../recording/read-recordings.ts')
  try {
    return [await readRecordings(resolve(cwd, recordings), warn)]
  } catch (error) {
    if (error instanceof HarError) throw fileError(error.message)
    throw error
  }
}

export function acceptedKey({ core }: Pick<Simulator, 'core'>): string {
  return Object.keys(core.settings.keys ?? {})[0] ?? defaultKey
}

/** Merges and checks them. Throws `CommandError` that lists every error of the flags, or of the file. */
async function settingsOf(args: ServerArgs, cwd: string): Promise<UsedSettings> {
  const { strict, explain } = args
  const clock = defined({ mode: args.clock, start: args.start, speed: args.speed })
  const control = defined({ token: args.controlToken })
  const flags = { ...defined({ seed: args.seed, publicUrl: args.publicUrl }), clock, control }
  const { success, error } = settingsSchema().safeParse(flags)
  if (!success) {
    const errors = fieldErrors(error, flags)
    throw usageError(errors.map(({ field, message }) => `${flagOf[field] ?? field}: ${message}`).join('\n'))
  }
  const { settings: written, file } = await usedSettings(args.config, cwd)
  const settings = {
    ...written,
    ...flags,
    // `false` would override the settings file.
    strict: strict || written.strict,
    explain: explain || written.explain,
    clock: { ...written.clock, ...clock },
    control: { ...written.control, ...control },
  } as SettingsInput
  return { settings: defined(settings), file }
}

/** The flag of each setting, for error messages. */
const flagOf: Readonly<Record<string, string>> = {
  seed: '--seed',
  'clock.mode': '--clock',
  'clock.start': '--start',
  'clock.speed': '--speed',
  publicUrl: '--public-url',
  'control.token': '--control-token or GATEWAY_SIM_CONTROL_TOKEN',
}

/** What can be listened on, as flags name it. */
interface Address {
  readonly port: unknown
  readonly host: string
  readonly handlers?: string | undefined
}

/** The `CommandError` for an error of listening. */
export function listenError(error: unknown, { port, host, handlers }: Address): unknown {
  if (!(error instanceof Error)) return error
  const { code = error.message, syscall = '' } = error as NodeJS.ErrnoException
  if (['listen', 'getaddrinfo', 'bind'].includes(syscall))
    return new CommandError(
      exitCodes.bind,
      `Port ${port} on ${host} is not available (${code}): choose another with --port (0 picks a free ` +
        'one) or another address with --host.',
    )
  // Only with handlers can `listen` reject for another reason: msw is missing or too old.
  return handlers === undefined ? error : fileError(`--handlers ${handlers}: ${error.message}`)
}
