/** What `gateway-sim serve` does, from its flags to its exit code. Knows nothing of yargs. */
import { resolve } from 'node:path'
import { createSimulator } from '../index.ts'
import { listen, type Listening } from '../transports/node.ts'
import { createCallLog } from './call-log.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from './command.ts'
import { removeReadyFile, writeReadyFile } from './ready-file.ts'
import { type SettingsFlags, settingsOf } from './serve-settings.ts'
import { version } from './version.ts'

export interface ServeFlags {
  /** As written: a number when it was one. */
  readonly port: unknown
  readonly host: string
  readonly config: string | undefined
  /** Scenario files, as written. */
  readonly scenarios: readonly string[]
  readonly watch: boolean
  readonly handlers: string | undefined
  readonly log: 'pretty' | 'json'
  readonly quiet: boolean
  readonly readyFile: string | undefined
  readonly settings: SettingsFlags
}

/** Serves until the process is asked to stop. Throws `CommandError` for what the user can mend. */
export async function serveUntilStopped(flags: ServeFlags, io: Io): Promise<ExitCode> {
  const stopped = io.whenStopped()
  const port = portOf(flags.port)
  const readyFile = flags.readyFile === undefined ? undefined : resolve(io.cwd, flags.readyFile)
  // One from an earlier run would say "ready" before we are.
  if (readyFile !== undefined) await removeReadyFile(readyFile)
  const settings = await settingsOf(flags.settings, flags.config, io.cwd)
  const script = await scenariosOf(flags, io)
  const handlers = flags.handlers === undefined ? undefined : await import('./load-handlers.ts').then(({ loadHandlers }) => loadHandlers(flags.handlers as string, io.cwd))

  const log = createCallLog(io, flags.log)
  const options = {
    settings,
    clock: settings.clock?.mode ?? script?.set.composed.clock.mode ?? 'real',
    onWarning: log.warn,
    scenarios: script?.set.scenarios ?? [],
    ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
  } as const
  const simulator = script === undefined ? createSimulator(options) : script.orRefuse(() => createSimulator(options))
  let listening: Listening
  try {
    listening = await listen(simulator, { port, host: flags.host, ...(handlers === undefined ? {} : { handlers }), ...(flags.quiet ? {} : { onCall: log.call }) })
  } catch (error) {
    throw listenError(error, flags)
  }

  let watched: { close(): Promise<void> } | undefined
  const ready = { url: listening.url, port: listening.port, pid: io.pid, version }
  try {
    if (flags.watch) watched = await script?.watchScenarios({ files: flags.scenarios, simulator, set: script.set, io, told: log.reloaded })
    if (readyFile !== undefined) await writeReadyFile(readyFile, ready)
    io.stdout.write(flags.log === 'json' ? `${JSON.stringify({ event: 'ready', ...ready })}\n` : `gateway-sim listening at ${listening.url}\n`)
    await stopped
  } finally {
    await watched?.close()
    await listening.close()
    log.flush()
    if (readyFile !== undefined) await removeReadyFile(readyFile)
  }
  return exitCodes.ok
}

/** The scenarios, and what it takes to watch them; loaded for those who have some. */
async function scenariosOf({ scenarios, watch }: ServeFlags, io: Io) {
  if (scenarios.length === 0) {
    if (watch) throw new CommandError(exitCodes.usage, '--watch: expected scenario files to watch, give some with --scenario')
    return undefined
  }
  if (watch && scenarios.includes('-')) throw new CommandError(exitCodes.usage, '--watch: expected files, and standard input (--scenario -) cannot be watched')
  const { orRefuse, readScenarioSet, watchScenarios } = await import('./serve-scenarios.ts')
  return { set: await readScenarioSet(scenarios, io), orRefuse, watchScenarios }
}

function portOf(written: unknown): number {
  if (typeof written === 'number' && Number.isInteger(written) && written >= 0 && written <= 65_535) return written
  throw new CommandError(exitCodes.usage, `--port: expected a whole number from 0 to 65535, got ${JSON.stringify(written)}`)
}

function listenError(error: unknown, { port, host, handlers }: ServeFlags): unknown {
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
  if (syscall === 'listen' || syscall === 'getaddrinfo' || syscall === 'bind') return new CommandError(exitCodes.bind, `Cannot listen on port ${port} of ${host}: ${error.message}`)
  // The bridge to msw is only loaded for handlers, and refuses what it cannot run.
  return handlers === undefined ? error : new CommandError(exitCodes.file, `--handlers ${handlers}: ${error.message}`)
}
