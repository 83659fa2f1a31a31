/** Runs `gateway-sim serve`. */

import { setTimeout as wait } from 'node:timers/promises'
import { formatDuration } from '../../engine/duration.ts'
import { defined } from '../../engine/fields.ts'
import type { AccessLogLine } from '../../node.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { version } from '../../text/version.ts'
import { type CallLog, createCallLog } from '../call-log.ts'
import { CommandError, type ExitCode, exitCodes, type Io, type Output, usageError } from '../command.ts'
import { durationOf, type ServeArgs } from '../flags.ts'
import { createHoldLines } from '../held-requests.ts'
import { findSettingsFile } from '../settings-file.ts'
import { prepareReadyFile } from './listening.ts'
import { acceptedKey, type StartedServer, startServer } from './start-server.ts'

/** Serves until the process is asked to stop. Throws `CommandError` for errors that the user can fix. */
export async function serveUntilStopped(args: ServeArgs, io: Io): Promise<ExitCode> {
  // Command lines show in the list of processes, the environment does not.
  const fromEnvironment = io.env['GATEWAY_SIM_CONTROL_TOKEN'] || undefined
  const flags = { ...args, controlToken: args.controlToken ?? fromEnvironment }
  const stopped = io.whenStopped()
  const drain = durationOf('--drain', flags.drain)
  if (flags.watch) checkWatchable(flags, io)
  const readyFile = await prepareReadyFile(flags.readyFile, io)
  const log = createCallLog(io, flags.format)
  const server = await startServer(
    flags,
    { clock: 'real', onWarning: log.warn, accessLog: flags.quiet ? undefined : logged(log) },
    io,
  ).catch(async (error: unknown) => {
    // The port is in use: the ready file belongs to the server that uses it.
    if (error instanceof CommandError && error.exitCode === exitCodes.bind) await readyFile.putBack()
    throw error
  })
  const { simulator, listening } = server

  let watched: { close(): Promise<void> } | undefined
  const { url, controlToken } = listening
  const ready = { url, port: listening.port, pid: io.pid, version }
  try {
    if (flags.watch) {
      const { watchServer } = await import('./watch.ts')
      watched = await watchServer({ files: flags.scenario, server, io, log })
    }
    if (!flags.quiet) simulator.core.breakpoints.onChange = holdLog(server, log)
    await readyFile.write({ ...ready, ...defined({ controlToken }) })
    const isJson = flags.format === 'json'
    const tell = (output: Output, event: string, fields: object, text: string): unknown =>
      output.write(isJson ? `${JSON.stringify({ event, ...fields })}\n` : `${text}\n`)
    tell(io.stdout, 'ready', ready, `gateway-sim listening at ${url}`)
    const { file } = server.settings
    if (file !== undefined && !flags.quiet)
      tell(io.stderr, 'settings', { file: file.shown }, `gateway-sim settings: ${file.shown}`)
    // On stderr: stdout ends up in more logs. A configured token is not printed.
    if (controlToken !== undefined && simulator.core.settings.control.token === undefined)
      tell(io.stderr, 'control-token', { token: controlToken }, `gateway-sim control token: ${controlToken}`)
    if (!isJson && !flags.quiet) io.stderr.write(hintsFor(server, args, io))
    const warning = publicControlWarning(server)
    if (warning !== undefined) log.warn(warning)
    // Before the first call: node never retries an import that failed for lack of file descriptors.
    server.simulator.core.facilities.load(['tokens']).catch(() => {})
    await stopped
    if (drain !== undefined) {
      const lasts = formatDuration(drain)
      const text = `gateway-sim: draining for ${lasts}; a second signal stops the server at once`
      if (!flags.quiet) tell(io.stderr, 'draining', { for: lasts }, text)
      await drainServer(server, drain, io)
    }
  } finally {
    await watched?.close()
    await listening.close()
    log.flush()
    await readyFile.remove()
  }
  return exitCodes.ok
}

/** Logs each request, but not health checks and what commands and pages read from the control API. */
const logged =
  ({ call }: CallLog) =>
  (line: AccessLogLine): void => {
    const { operation = '', method, status } = line
    const isRead = operation.startsWith('sim.') && method === 'GET' && status < 400
    if (!isRead && !healthChecks.has(operation)) call(line)
  }

type OnHold = StartedServer['simulator']['core']['breakpoints']['onChange']

/** Logs each request that a breakpoint holds or releases. */
function holdLog({ simulator, listening }: StartedServer, { held: log }: CallLog): OnHold {
  const { publicUrl } = simulator.core.settings
  const lineOf = createHoldLines(`${publicUrl ?? listening.url}${controlPrefix}`)
  return ({ id, breakpoint, phase, operation, sandbox, entry, event }, change) => {
    const held = { id, breakpoint, phase, operation, session: sandbox.name, seq: entry?.seq ?? null }
    log(held, change, lineOf({ ...held, event: event ?? null }, change) ?? '')
  }
}

const healthChecks: ReadonlySet<string> = new Set(['sim.health', 'sim.ready'])

/** Serves on until the time is over or a second signal comes, but tells load balancers to look elsewhere. */
async function drainServer({ simulator }: StartedServer, time: number, io: Io): Promise<void> {
  simulator.core.process.isDraining = true
  const waited = new AbortController()
  await Promise.race([io.whenStopped(), wait(time, undefined, { signal: waited.signal }).catch(() => {})])
  waited.abort()
}

function checkWatchable({ scenario, config }: ServeArgs, { cwd }: Io): void {
  if (scenario.length === 0 && findSettingsFile(config, cwd) === undefined)
    throw usageError('--watch needs scenario files or a settings file: add --scenario FILE')
  if (scenario.includes('-')) throw usageError('--watch: standard input (--scenario -) cannot be watched')
}

/** Warns that a proxy makes the control API public. On other hosts than loopback, a token is required. */
function publicControlWarning({ simulator, listening }: StartedServer): string | undefined {
  const { control, publicUrl } = simulator.core.settings
  if (publicUrl === undefined || !control.enabled || listening.controlToken !== undefined) return undefined
  return (
    `Without a token, everyone who can reach ${publicUrl} can use the control API: ` +
    'set GATEWAY_SIM_CONTROL_TOKEN'
  )
}

/** Commands to try a server that has just started. */
function hintsFor(server: StartedServer, { onMiss }: ServeArgs, { env }: Io): string {
  const { simulator, listening, recordings } = server
  const { control, publicUrl } = simulator.core.settings
  const { token, enabled } = control
  const url = publicUrl ?? listening.url
  // As a shell reads it in double quotes.
  const given = token === env['GATEWAY_SIM_CONTROL_TOKEN'] ? '$GATEWAY_SIM_CONTROL_TOKEN' : '<your token>'
  const shown = token === undefined ? listening.controlToken : given
  const auth = `-H 'authorization: Bearer ${acceptedKey(simulator)}'`
  const chat = (model: string): string =>
    `curl ${url}/v1/chat/completions ${auth} -H 'content-type: application/json' ` +
    `-d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`
  const withToken = shown === undefined ? '' : ` -H "x-sim-token: ${shown}"`
  const journal = `curl ${url}${controlPrefix}/journal${withToken}`
  const calls =
    onMiss === 'reject'
      ? [`one of the recorded requests: ${recordings?.first ?? 'there is none'}`]
      : [chat('gpt-4o'), chat('sim-rate-limit')]
  const models = onMiss === 'reject' ? [] : [`curl ${url}/v1/models ${auth}`]
  const last = enabled ? [journal] : models
  const page = enabled ? `Page: ${url}${controlPrefix}/ui/\n` : ''
  return `${page}Try:\n${[...calls, ...last].map((line) => `  ${line}\n`).join('')}`
}
