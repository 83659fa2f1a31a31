/** `gateway-sim serve`: the simulator as an HTTP server until a signal ends it. */
import { defineCommand } from '../command.ts'
import { serverFlags, serverFlagsOf } from '../serve/server-flags.ts'

export const serve = defineCommand({
  command: 'serve',
  describe: 'Serve the simulator over HTTP until SIGTERM or SIGINT',
  flags: {
    ...serverFlags(4010, 'real'),
    watch: {
      type: 'boolean',
      default: false,
      describe:
        'Use scenario files anew when they change; while they cannot be used, the last good ones stay',
    },
    log: {
      type: 'string',
      choices: ['pretty', 'json'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Form of the ready line and of the call log on stderr',
    },
    quiet: { type: 'boolean', default: false, describe: 'No call log; warnings stay' },
    'ready-file': {
      type: 'string',
      requiresArg: true,
      describe: 'File that appears when the server is ready: JSON with url, port, pid and version',
    },
  },
  async handler(args, io) {
    const { serveUntilStopped } = await import('../serve/serve-until-stopped.ts')
    return serveUntilStopped(
      {
        ...serverFlagsOf(args),
        watch: args.watch,
        log: args.log as 'pretty' | 'json',
        quiet: args.quiet,
        readyFile: args['ready-file'],
      },
      io,
    )
  },
})
