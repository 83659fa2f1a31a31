/** `gateway-sim serve`: the simulator as an HTTP server until a signal ends it. Knows the flags; the rest is lazily loaded. */
import { defineCommand } from './command.ts'

export const serve = defineCommand({
  command: 'serve',
  describe: 'Serve the simulator over HTTP until SIGTERM or SIGINT',
  flags: {
    // Without a type yargs reads numbers and leaves other text as it is, so that a refusal can show what was written.
    port: { default: 4010, requiresArg: true, describe: 'Port; 0 picks a free one' },
    host: { type: 'string', default: '127.0.0.1', requiresArg: true, describe: 'Address to listen on; 0.0.0.0 for every interface' },
    seed: { type: 'string', requiresArg: true, describe: 'Root of all chance: same seed, same requests, same bytes' },
    clock: { type: 'string', requiresArg: true, describe: 'Who moves time: real (the wall clock), manual (you, over /__sim), auto (each poll moves its own job on)', defaultDescription: 'real' },
    speed: { requiresArg: true, describe: 'How much faster than the wall clock a real clock runs', defaultDescription: '1' },
    start: { type: 'string', requiresArg: true, describe: 'Virtual time at the start, ISO 8601', defaultDescription: 'now; 2026-01-01 in manual and auto' },
    config: { type: 'string', requiresArg: true, describe: 'Settings in YAML or JSON; flags win over it', defaultDescription: 'gateway-sim.config.yaml, .yml or .json, when there is one' },
    'public-url': { type: 'string', requiresArg: true, describe: 'Address written into links, when clients reach the server by another one' },
    scenario: { type: 'string', array: true, requiresArg: true, describe: 'Scenario file; several compose. --seed, --clock, --start and --speed win over it' },
    watch: { type: 'boolean', default: false, describe: 'Use scenario files anew when they change; while they cannot be used, the last good ones stay' },
    handlers: { type: 'string', requiresArg: true, describe: 'Module with your own msw handlers; they answer before the simulator' },
    log: { type: 'string', choices: ['pretty', 'json'] as const, default: 'pretty', requiresArg: true, describe: 'Form of the ready line and of the call log on stderr' },
    quiet: { type: 'boolean', default: false, describe: 'No call log; warnings stay' },
    'ready-file': { type: 'string', requiresArg: true, describe: 'File that appears when the server is ready: JSON with url, port, pid and version' },
  },
  async handler(args, io) {
    const { serveUntilStopped } = await import('./serve-until-stopped.ts')
    return serveUntilStopped(
      {
        port: args.port,
        host: args.host,
        config: args.config,
        scenarios: args.scenario ?? [],
        watch: args.watch,
        handlers: args.handlers,
        log: args.log as 'pretty' | 'json',
        quiet: args.quiet,
        readyFile: args['ready-file'],
        settings: { seed: args.seed, clock: args.clock, speed: args.speed, start: args.start, publicUrl: args['public-url'] },
      },
      io,
    )
  },
})
