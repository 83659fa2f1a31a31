/** The commands that start a simulator: `serve`, `exec`. */
import { defineCommand } from '../command.ts'
import { execFlags, serveFlags } from '../serve/server-flags.ts'

/** `gateway-sim exec`: runs a command against a private simulator. */
export const exec = defineCommand({
  command: 'exec',
  describe: "Start a simulator, run a command with its SDKs pointed at it, and report the command's calls",
  examples: [
    ['gateway-sim exec -- npm test', 'Run a test suite against a simulator'],
    [
      'gateway-sim exec --fail-on client-report --report junit=sim.xml -- pytest',
      'Fail the run if the client misuses the API, and write a report for CI',
    ],
  ],
  rest: 'command',
  flags: execFlags,
  async handler(args, io) {
    const { runCommand } = await import('../exec/exec-command.ts')
    return runCommand(args, io)
  },
})

export const serve = defineCommand({
  command: 'serve',
  describe: 'Serve the simulator over HTTP until SIGTERM or SIGINT',
  examples: [
    ['gateway-sim serve', 'Listen on http://127.0.0.1:4010'],
    ['gateway-sim serve --port 0 --scenario outage.yaml --watch', 'Pick a free port, reload on changes'],
  ],
  flags: serveFlags,
  async handler(args, io) {
    const { serveUntilStopped } = await import('../serve/serve-until-stopped.ts')
    // Command lines show in the list of processes, the environment does not.
    const controlToken = args.controlToken ?? (io.env['GATEWAY_SIM_CONTROL_TOKEN'] || undefined)
    return serveUntilStopped({ ...args, controlToken }, io)
  },
})
