/** Starts a server from the flags of a command. */
import { resolve } from 'node:path'
import type { ClockMode } from '../../engine/clock.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { SettingsInput } from '../../generated/settings-types.ts'
import { createSimulator, type JournalEntry, type Recordings, type Simulator } from '../../index.ts'
import { type AccessLogLine, HarError, listen, loadRecordings, type SimulatorServer } from '../../node.ts'
import { findings } from '../../protocol/findings.ts'
import { settingsSchema } from '../../protocol/settings.ts'
import { defaultKey, type ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { fileError, type Io, usageError } from '../command.ts'
import { allowedFolders, type ServerArgs } from '../flags.ts'
import { findSettingsFile, type NamedFile, readSettingsFile } from '../settings-file.ts'
import { checkPort, describeListenError } from './listening.ts'

export interface ServerOptions {
  /** The clock mode if neither a flag nor a file sets one. */
  readonly clock: ClockMode
  readonly onWarning: (message: string) => void
  readonly accessLog?: ((line: AccessLogLine) => void) | undefined
  readonly onCall?: (entry: JournalEntry) => void
  /** Precedes the scenarios of the flags. */
  readonly first?: ScenarioInput | undefined
}

export interface StartedServer {
  readonly simulator: Simulator
  readonly listening: SimulatorServer
  readonly set: ScenarioSet | undefined
  readonly settings: ServerSettings
  readonly recordings: Recordings | undefined
}

/** Resolves when the server is ready. Throws `CommandError` for errors that the user can fix. */
export async function startServer(
  args: ServerArgs,
  { clock, onWarning, accessLog, onCall, first }: ServerOptions,
  io: Io,
): Promise<StartedServer> {
  const port = checkPort(args.port)
  const read = await settingsOf(args, io.cwd)
  const { settings } = read
  const allowFiles = allowedFolders(args.allowFiles, io.cwd)
  const files = args.scenario.length === 0 ? undefined : await import('../scenario-files.ts')
  const set = await files?.readScenarioSet(args.scenario, allowFiles, io)
  const handlers = args.handlers === undefined ? undefined : await loadHandlers(args.handlers, io.cwd)
  const recordings = await readRecordings(args, io)
  const options = {
    settings,
    recordings,
    onMiss: args.onMiss,
    allowFiles,
    clock: settings.clock?.mode ?? set?.composed.clock.mode ?? clock,
    onWarning,
    onCall,
    scenarios: [...(first === undefined ? [] : [first]), ...(set?.scenarios ?? [])],
    publicUrl: settings.publicUrl,
  }
  const create = (): Simulator => createSimulator(options)
  const simulator = files === undefined ? create() : files.withFileErrors(create)
  try {
    const listening = await listen(simulator, { port, host: args.host, handlers, accessLog })
    return { simulator, listening, set, settings: read, recordings }
  } catch (error) {
    throw describeListenError(error, args)
  }
}

async function loadHandlers(file: string, cwd: string): Promise<readonly unknown[]> {
  const { loadHandlers: load } = await import('./load-handlers.ts')
  return load(file, cwd)
}

async function readRecordings(
  { recordings, onMiss }: ServerArgs,
  { cwd }: Io,
): Promise<Recordings | undefined> {
  if (recordings === undefined) {
    if (onMiss === undefined) return undefined
    throw usageError('--on-miss needs recordings: add --recordings FILE')
  }
  try {
    return await loadRecordings(resolve(cwd, recordings))
  } catch (error) {
    if (error instanceof HarError) throw fileError(error.message)
    throw error
  }
}

export function acceptedKey({ core }: Pick<Simulator, 'core'>): string {
  return Object.keys(core.settings.keys ?? {})[0] ?? defaultKey
}

/** Settings, and the file that some of them are from. */
export interface ServerSettings {
  readonly settings: SettingsInput
  readonly file: NamedFile | undefined
  readonly written: SettingsInput
}

/** Merges and checks them. Throws `CommandError` that lists every error of the flags, or of the file. */
async function settingsOf(args: ServerArgs, cwd: string): Promise<ServerSettings> {
  const clock = definedFields({ mode: args.clock, start: args.start, speed: args.speed })
  const control = definedFields({
    token: args.controlToken,
    origins: args.controlOrigin,
    hosts: args.controlHost,
  })
  const fromFlags = definedFields({
    seed: args.seed,
    clock: Object.keys(clock).length === 0 ? undefined : clock,
    publicUrl: args.publicUrl,
    strict: args.strict,
    explain: args.explain,
    control: Object.keys(control).length === 0 ? undefined : control,
  })
  const result = settingsSchema().safeParse(fromFlags)
  if (!result.success) {
    const errors = findings(result.error, fromFlags).map(
      // For a repeated flag, the message quotes the value.
      ({ field, message }) => `${flagOf[field.replace(/\[\d+\]$/, '')] ?? field}: ${message}`,
    )
    throw usageError(errors.join('\n             '))
  }
  const file = findSettingsFile(args.config, cwd)
  const written = file === undefined ? {} : await readSettingsFile(file)
  const settings = {
    ...written,
    ...fromFlags,
    clock: { ...written.clock, ...clock },
    ...(fromFlags['control'] === undefined ? {} : { control: { ...written.control, ...control } }),
  }
  return { settings, file, written }
}

/** The flag of each setting, for error messages. */
const flagOf: Readonly<Record<string, string>> = {
  seed: '--seed',
  'clock.mode': '--clock',
  'clock.start': '--start',
  'clock.speed': '--speed',
  publicUrl: '--public-url',
  'control.token': '--control-token or GATEWAY_SIM_CONTROL_TOKEN',
  'control.origins': '--control-origin',
  'control.hosts': '--control-host',
}

/** The fields that were set: omits undefined, empty lists and switches that are off. */
function definedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
