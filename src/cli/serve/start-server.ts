/** Starts a simulator behind a port, from the flags of a command. */
import type { ClockMode } from '../../engine/clock.ts'
import { createSimulator, type JournalEntry, type Simulator } from '../../index.ts'
import { type AccessLogLine, listen, type SimulatorServer } from '../../node.ts'
import type { ScenarioSet } from '../../scenario/load/scenario-set.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import type { ServerFlags } from './server-flags.ts'
import { settingsOf } from './settings.ts'

/** What a command adds to its flags. */
export interface ServerNeeds {
  /** Who moves time when neither a flag nor a file says so. */
  readonly clock: ClockMode
  readonly onWarning: (message: string) => void
  readonly accessLog?: (line: AccessLogLine) => void
  /** Hears of every call of every session as it is journaled. */
  readonly onCall?: (entry: JournalEntry) => void
}

/** A server that answers. */
export interface StartedServer {
  readonly simulator: Simulator
  readonly listening: SimulatorServer
  /** The scenarios in use; undefined when none were given. */
  readonly set: ScenarioSet | undefined
}

/**
 * Resolves when the server answers. Throws `CommandError` for what the user can mend; then nothing is left
 * open.
 */
export async function startServer(
  flags: ServerFlags,
  { clock, onWarning, accessLog, onCall }: ServerNeeds,
  io: Io,
): Promise<StartedServer> {
  const port = portOf(flags.port)
  const settings = await settingsOf(flags.settings, flags.config, io.cwd)
  // Loaded for those who have some.
  const script = flags.scenarios.length === 0 ? undefined : await import('./scenarios.ts')
  const set = await script?.readScenarioSet(flags.scenarios, io)
  const handlers =
    flags.handlers === undefined
      ? undefined
      : await import('./load-handlers.ts').then(({ loadHandlers }) =>
          loadHandlers(flags.handlers as string, io.cwd),
        )
  const options = {
    settings,
    clock: settings.clock?.mode ?? set?.composed.clock.mode ?? clock,
    onWarning,
    ...(onCall === undefined ? {} : { onCall }),
    scenarios: set?.scenarios ?? [],
    ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
  } as const
  const simulator =
    script === undefined ? createSimulator(options) : script.orRefuse(() => createSimulator(options))
  try {
    const listening = await listen(simulator, {
      port,
      host: flags.host,
      ...(handlers === undefined ? {} : { handlers }),
      ...(accessLog === undefined ? {} : { accessLog }),
    })
    return { simulator, listening, set }
  } catch (error) {
    throw listenError(error, flags)
  }
}

function portOf(written: unknown): number {
  if (typeof written === 'number' && Number.isInteger(written) && written >= 0 && written <= 65_535)
    return written
  throw new CommandError(
    exitCodes.usage,
    `--port: expected a whole number from 0 to 65535, got ${JSON.stringify(written)}`,
  )
}

function listenError(error: unknown, { port, host, handlers }: ServerFlags): unknown {
  if (!(error instanceof Error)) return error
  const wayOut: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is in use: stop what listens there, or choose another with --port (--port 0 picks a free one).`,
    EACCES: `No permission to listen on port ${port} of ${host}: choose a port from 1024 up with --port (--port 0 picks a free one).`,
    EADDRNOTAVAIL: `No interface of this machine has the address ${host}: leave out --host, or choose 127.0.0.1, ::1 or 0.0.0.0.`,
    ENOTFOUND: `The name ${host} has no address: leave out --host, or choose 127.0.0.1, ::1 or 0.0.0.0.`,
  }
  const { code, syscall } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : wayOut[code]
  if (known !== undefined) return new CommandError(exitCodes.bind, known)
  if (syscall === 'listen' || syscall === 'getaddrinfo' || syscall === 'bind')
    return new CommandError(exitCodes.bind, `Cannot listen on port ${port} of ${host}: ${error.message}`)
  // The bridge to msw is only loaded for handlers, and refuses what it cannot run.
  return handlers === undefined
    ? error
    : new CommandError(exitCodes.file, `--handlers ${handlers}: ${error.message}`)
}
