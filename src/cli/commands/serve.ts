/** `gateway-sim serve`: runs the simulator as an HTTP server. */
import { defineCommand } from '../command.ts'
import { controlTokenFlag, serverFlags, serverFlagsOf } from '../serve/server-flags.ts'

export const serve = defineCommand({
  command: 'serve',
  describe: 'Serve the simulator over HTTP until SIGTERM or SIGINT',
  examples: [
    ['gateway-sim serve', 'Listen on http://127.0.0.1:4010'],
    ['gateway-sim serve --port 0 --scenario outage.yaml --watch', 'Pick a free port, reload on changes'],
  ],
  flags: {
    ...serverFlags(4010, 'real'),
    'control-token': {
      ...controlTokenFlag,
      // Not for `exec`: its server is private, and what the shell has is for another one.
      defaultDescription: `GATEWAY_SIM_CONTROL_TOKEN, else ${controlTokenFlag.defaultDescription}`,
    },
    watch: {
      type: 'boolean',
      default: false,
      describe: 'Reload scenario files when they change; invalid files leave the last valid ones in use',
    },
    metrics: {
      type: 'boolean',
      default: false,
      describe: 'Count calls, and serve metrics for Prometheus at /__sim/metrics',
    },
    log: {
      type: 'string',
      choices: ['pretty', 'json'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Format of the ready line and of the call log on stderr',
    },
    quiet: { type: 'boolean', default: false, describe: 'Print no call log and no hints; warnings stay' },
    'ready-file': {
      type: 'string',
      requiresArg: true,
      describe: 'Create this file when the server is ready: JSON with url, port, pid and version',
    },
  },
  async handler(args, io) {
    const flags = serverFlagsOf(args)
    const control = {
      ...flags.settings.control,
      // Command lines show in the list of processes, the environment does not.
      token: args['control-token'] ?? (io.env['GATEWAY_SIM_CONTROL_TOKEN'] || undefined),
      metrics: args.metrics || undefined,
    }
    const { serveUntilStopped } = await import('../serve/serve-until-stopped.ts')
    return serveUntilStopped(
      {
        ...flags,
        settings: { ...flags.settings, control },
        watch: args.watch,
        log: args.log as 'pretty' | 'json',
        quiet: args.quiet,
        readyFile: args['ready-file'],
      },
      io,
    )
  },
})
