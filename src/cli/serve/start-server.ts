/** Starts a server from the flags of a command. */
import { resolve } from 'node:path'
import type { ClockMode } from '../../engine/clock.ts'
import {
  createSimulator,
  type JournalEntry,
  type OnMiss,
  type Recordings,
  type Simulator,
} from '../../index.ts'
import { type AccessLogLine, HarError, listen, loadRecordings, type SimulatorServer } from '../../node.ts'
import { defaultKey, type ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { allowedFolders } from '../allow-files.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import { checkPort, describeListenError } from './listen-failures.ts'
import type { ServerFlags } from './server-flags.ts'
import { settingsOf } from './settings.ts'

/** What a command adds to the flags. */
export interface ServerOptions {
  /** The clock mode if neither a flag nor a file sets one. */
  readonly clock: ClockMode
  readonly onWarning: (message: string) => void
  readonly accessLog?: (line: AccessLogLine) => void
  /** Called for every call of every session. */
  readonly onCall?: (entry: JournalEntry) => void
}

/** A running server. */
export interface StartedServer {
  readonly simulator: Simulator
  readonly listening: SimulatorServer
  /** The scenarios, if there are any. */
  readonly set: ScenarioSet | undefined
}

/** Resolves when the server is ready. Throws `CommandError` for what the user can fix. */
export async function startServer(
  flags: ServerFlags,
  { clock, onWarning, accessLog, onCall }: ServerOptions,
  io: Io,
): Promise<StartedServer> {
  const port = checkPort(flags.port)
  const settings = await settingsOf(flags.settings, flags.config, io.cwd)
  const script = flags.scenarios.length === 0 ? undefined : await import('./scenarios.ts')
  const allowFiles = allowedFolders(flags.allowFiles, io.cwd)
  const set = await script?.readScenarioSet(flags.scenarios, allowFiles, io)
  const handlers =
    flags.handlers === undefined
      ? undefined
      : await import('./load-handlers.ts').then(({ loadHandlers }) =>
          loadHandlers(flags.handlers as string, io.cwd),
        )
  const recordings = await readRecordings(flags, io)
  const options = {
    settings,
    ...(recordings === undefined ? {} : { recordings }),
    ...(flags.onMiss === undefined ? {} : { onMiss: flags.onMiss as OnMiss }),
    allowFiles,
    clock: settings.clock?.mode ?? set?.composed.clock.mode ?? clock,
    onWarning,
    ...(onCall === undefined ? {} : { onCall }),
    scenarios: set?.scenarios ?? [],
    ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
  } as const
  const simulator =
    script === undefined ? createSimulator(options) : script.withFileErrors(() => createSimulator(options))
  try {
    const listening = await listen(simulator, {
      port,
      host: flags.host,
      ...(handlers === undefined ? {} : { handlers }),
      ...(accessLog === undefined ? {} : { accessLog }),
    })
    return { simulator, listening, set }
  } catch (error) {
    throw describeListenError(error, flags)
  }
}

async function readRecordings(
  { recordings, onMiss }: ServerFlags,
  { cwd }: Io,
): Promise<Recordings | undefined> {
  if (recordings === undefined) {
    if (onMiss === undefined) return undefined
    throw new CommandError(exitCodes.usage, '--on-miss needs recordings: add --recordings FILE')
  }
  try {
    return await loadRecordings(resolve(cwd, recordings))
  } catch (error) {
    if (error instanceof HarError) throw new CommandError(exitCodes.file, error.message)
    throw error
  }
}

/** A key that the simulator accepts. */
export function acceptedKey({ core }: Pick<Simulator, 'core'>): string {
  return Object.keys(core.settings.keys ?? {})[0] ?? defaultKey
}
