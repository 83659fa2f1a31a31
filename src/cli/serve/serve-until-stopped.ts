/** Runs `gateway-sim serve`. */
import { resolve } from 'node:path'
import { version } from '../../text/version.ts'
import { type CallLog, createCallLog } from '../call-log.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { curlHints } from './curl-hints.ts'
import { removeReadyFile, setReadyFileAside, writeReadyFile } from './ready-file.ts'
import type { ServerFlags } from './server-flags.ts'
import { acceptedKey, type StartedServer, startServer } from './start-server.ts'

export interface ServeFlags extends ServerFlags {
  readonly watch: boolean
  readonly log: 'pretty' | 'json'
  readonly quiet: boolean
  readonly readyFile: string | undefined
}

/** Serves until the process is asked to stop. Throws `CommandError` for what the user can fix. */
export async function serveUntilStopped(flags: ServeFlags, io: Io): Promise<ExitCode> {
  const stopped = io.whenStopped()
  const readyFile = flags.readyFile === undefined ? undefined : resolve(io.cwd, flags.readyFile)
  if (flags.watch) checkWatchable(flags.scenarios)
  const putBack = readyFile === undefined ? undefined : await setReadyFileAside(readyFile)
  const log = createCallLog(io, flags.log)
  const server = await startServer(
    flags,
    { clock: 'real', onWarning: log.warn, ...(flags.quiet ? {} : { accessLog: log.call }) },
    io,
  ).catch(async (error: unknown) => {
    // The port is taken, and so the file is of the server that has it.
    if (error instanceof CommandError && error.exitCode === exitCodes.bind) await putBack?.()
    throw error
  })
  const { simulator, listening } = server

  let watched: { close(): Promise<void> } | undefined
  const ready = {
    url: listening.url,
    port: listening.port,
    pid: io.pid,
    version,
    ...(listening.controlToken === undefined ? {} : { controlToken: listening.controlToken }),
  }
  try {
    if (flags.watch) watched = await watch(flags, server, log, io)
    if (readyFile !== undefined) await writeReadyFile(readyFile, ready)
    io.stdout.write(
      flags.log === 'json'
        ? `${JSON.stringify({ event: 'ready', url: ready.url, port: ready.port, pid: ready.pid, version })}\n`
        : `gateway-sim listening at ${listening.url}\n`,
    )
    // Not on stdout, which ends up in more logs. Whoever has set a token knows it: logs need not.
    const generated = simulator.core.settings.control.token === undefined ? listening.controlToken : undefined
    if (generated !== undefined)
      io.stderr.write(
        flags.log === 'json'
          ? `${JSON.stringify({ event: 'control-token', token: generated })}\n`
          : `gateway-sim control token: ${generated}\n`,
      )
    if (flags.log === 'pretty' && !flags.quiet) io.stderr.write(hintsFor(server, io))
    // Now rather than with the first call: node never loads again what it could not load once, for want of
    // file descriptors.
    server.simulator.core.facilities.load(['tokens']).catch(() => {})
    await stopped
  } finally {
    await watched?.close()
    await listening.close()
    log.flush()
    if (readyFile !== undefined) await removeReadyFile(readyFile, io.pid)
  }
  return exitCodes.ok
}

async function watch(
  { scenarios: files }: ServeFlags,
  { simulator, set }: StartedServer,
  { reloaded: onReload }: CallLog,
  io: Io,
): Promise<{ close(): Promise<void> } | undefined> {
  if (set === undefined) return undefined
  const { watchScenarios } = await import('./scenarios.ts')
  return watchScenarios({ files, simulator, set, io, onReload })
}

function checkWatchable(scenarios: readonly string[]): void {
  if (scenarios.length === 0)
    throw new CommandError(exitCodes.usage, '--watch needs scenario files: add --scenario FILE')
  if (scenarios.includes('-'))
    throw new CommandError(exitCodes.usage, '--watch: standard input (--scenario -) cannot be watched')
}

function hintsFor({ simulator, listening: { url, controlToken } }: StartedServer, { env }: Io): string {
  const { control } = simulator.core.settings
  const fromEnvironment = control.token === env['GATEWAY_SIM_CONTROL_TOKEN']
  return curlHints({
    url,
    key: acceptedKey(simulator),
    controlPrefix: control.enabled ? control.prefix : undefined,
    controlToken:
      control.token === undefined
        ? controlToken
        : fromEnvironment
          ? '$GATEWAY_SIM_CONTROL_TOKEN'
          : '<your token>',
  })
}
