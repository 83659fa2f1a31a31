/** `gateway-sim record`: a proxy in front of a real gateway that writes down what passes. */
import { defineCommand } from '../command.ts'

export const record = defineCommand({
  command: 'record',
  describe:
    'Stand in front of a real gateway, pass everything on unchanged, and write it down as HAR files ' +
    'without secrets, until SIGTERM or SIGINT',
  examples: [
    ['gateway-sim record --upstream https://gw.example --out recordings', 'Record on a free port'],
    [
      'gateway-sim record --upstream https://gw.example --out rec --check',
      'Judge each reply by the contract as well',
    ],
  ],
  flags: {
    upstream: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'The real gateway (URL, with or without /v1)',
    },
    out: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'Folder for the HAR files and large bodies; files of earlier runs stay',
    },
    // No type: yargs parses numbers and keeps other text, so that the error message can quote it.
    port: { default: 0, requiresArg: true, describe: 'Port; 0 picks a free one' },
    host: {
      type: 'string',
      default: '127.0.0.1',
      requiresArg: true,
      describe: 'Address to listen on; 0.0.0.0 for every interface',
    },
    'ready-file': {
      type: 'string',
      requiresArg: true,
      describe: 'Create this file when the proxy is ready: JSON with url, port, pid and version',
    },
    check: {
      type: 'boolean',
      default: false,
      describe: 'Judge each reply by the contract as it passes: on stderr, and a summary at the end',
    },
    redact: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'A header, query parameter or JSON field whose values are not recorded, or value:TEXT',
    },
    quiet: { type: 'boolean', default: false, describe: 'Print no line per call; warnings stay' },
  },
  async handler(args, io) {
    const { recordUntilStopped } = await import('../record/record-until-stopped.ts')
    return recordUntilStopped(
      {
        upstream: args.upstream,
        out: args.out,
        port: args.port,
        host: args.host,
        readyFile: args['ready-file'],
        check: args.check,
        redact: args.redact ?? [],
        quiet: args.quiet,
      },
      io,
    )
  },
})
