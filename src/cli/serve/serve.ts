/** `gateway-sim serve`. */
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { controlPrefix } from '../../protocol/paths.ts'
import { version } from '../../text/version.ts'
import { type CallLog, createCallLog, eventWriter } from '../call-log.ts'
import { type ArgsOf, defineCommand, exitCodes, type Io, usageError } from '../command.ts'
import { logFormat, text, toggle } from '../flags.ts'
import { writeOutput } from '../output-files.ts'
import { acceptedKey, type StartedServer, serverFlags, startServer } from './start-server.ts'
import { watchServer } from './watch.ts'

const common = serverFlags(4010, 'real')

const flags = {
  ...common,
  // Not for `exec`: its server is private, and the token in the shell belongs to another server.
  'control-token': text(
    common['control-token'].describe,
    `GATEWAY_SIM_CONTROL_TOKEN, else ${common['control-token'].defaultDescription}`,
  ),
  watch: toggle(
    'Reload scenario files when they change; if one is invalid, the last valid files stay in use',
  ),
  'ready-file': text('JSON file to write once the server is ready, with url, port, pid and version'),
  format: logFormat,
  quiet: toggle('Suppress the request log and tips, but not warnings'),
} as const

type ServeArgs = ArgsOf<typeof flags>

export const command = defineCommand({
  examples: [
    ['gateway-sim serve', 'Listen on http://127.0.0.1:4010'],
    [
      'gateway-sim serve --port 0 --scenario outage.yaml --watch',
      'Listen on a free port and reload the scenario when it changes',
    ],
  ],
  flags,
  async handler(given, io) {
    // Command lines show in the list of processes, the environment does not.
    const controlToken = given.controlToken ?? (io.env['GATEWAY_SIM_CONTROL_TOKEN'] || undefined)
    const args = { ...given, controlToken }
    const stopped = io.whenStopped()
    if (args.watch && (args.scenario.length === 0 || args.scenario.includes('-')))
      throw usageError('--watch needs scenario files: add --scenario FILE')
    const { readyFile } = args
    // The file of an earlier run would signal readiness too early.
    if (readyFile !== undefined) await rm(resolve(io.cwd, readyFile), { force: true }).catch(() => {})
    const log = createCallLog(io, args.format)
    const accessLog = args.quiet ? undefined : log.served
    const server = await startServer(args, { clock: 'real', onWarning: log.warn, accessLog }, io)
    const watched = args.watch ? await watchServer({ files: args.scenario, server, io, log }) : undefined
    try {
      const { url, port } = server.listening
      const ready = { url, port, pid: io.pid, version }
      if (readyFile !== undefined)
        await writeOutput({ flag: '--ready-file', shown: readyFile }, `${JSON.stringify(ready)}\n`, io)
      eventWriter(io.stdout, args.format)('ready', ready, `gateway-sim listening at ${url}`)
      introduce(server, args, log, io)
      // Before the first call: node never retries an import that failed for lack of file descriptors.
      server.simulator.core.facilities.load(['tokens']).catch(() => {})
      await stopped
    } finally {
      await watched?.close()
      await server.listening.close()
      log.flush()
    }
    return exitCodes.ok
  },
})

/** What a server says about itself once it is ready. */
function introduce(server: StartedServer, { format, quiet }: ServeArgs, log: CallLog, io: Io): void {
  const { simulator, listening, settingsFile } = server
  const { breakpoints, settings: own } = simulator.core
  const { control, publicUrl } = own
  const url = publicUrl ?? listening.url
  const say = eventWriter(io.stderr, format)
  if (!quiet) breakpoints.onChange = log.holding(`${url}${controlPrefix}`)
  if (settingsFile !== undefined && !quiet)
    say('settings', { file: settingsFile }, `gateway-sim settings: ${settingsFile}`)
  const { controlToken: token } = listening
  // On stderr: stdout ends up in more logs. A configured token is not printed.
  if (token !== undefined && control.token === undefined)
    say('control-token', { token }, `gateway-sim control token: ${token}`)
  if (format === 'pretty' && !quiet) io.stderr.write(tips(url, acceptedKey(simulator), control.enabled))
  // On other hosts than loopback, a token is required.
  if (publicUrl !== undefined && control.enabled && token === undefined)
    log.warn(
      `Without a token, everyone who can reach ${publicUrl} can use the control API: set ` +
        'GATEWAY_SIM_CONTROL_TOKEN',
    )
}

/** What to try with a server that has just started. */
function tips(url: string, key: string, hasPage: boolean): string {
  const chat = (model: string): string =>
    `curl ${url}/v1/chat/completions -H 'authorization: Bearer ${key}' -H 'content-type: application/json' ` +
    `-d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`
  const page = hasPage ? `Page: ${url}${controlPrefix}/ui/\n` : ''
  const calls = [chat('gpt-4o'), chat('sim-rate-limit')]
  return `${page}Try:\n${calls.map((line) => `  ${line}\n`).join('')}`
}
