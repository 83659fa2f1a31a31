/** `gateway-sim replay`: runs the steps of scenario files and checks the replies. */
import { allowFilesFlag } from '../allow-files.ts'
import { defineCommand } from '../command.ts'

export const replay = defineCommand({
  command: 'replay <files..>',
  describe: [
    'Run the steps of scenario files or directories (- for stdin) in-process or against a server, and',
    'check the replies',
  ].join(' '),
  examples: [
    ['gateway-sim replay scenarios', 'Replay a directory in-process, on virtual time'],
    ['gateway-sim replay video.yaml --base-url https://gw.example --api-key sk-1', 'Replay against a server'],
  ],
  flags: {
    'base-url': {
      type: 'string',
      requiresArg: true,
      describe: 'Run against this server (URL without /v1) instead of in-process',
    },
    'api-key': {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: "API key for the server, replacing the scenario's first key; NAME=KEY replaces another one",
    },
    'allow-files': allowFilesFlag,
    reporter: {
      type: 'string',
      choices: ['pretty', 'json', 'junit'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Output format',
    },
    trace: {
      type: 'string',
      requiresArg: true,
      describe: 'Write all requests and replies to this file; identical for every in-process run',
    },
    limit: {
      requiresArg: true,
      describe: 'Against a real clock, how long to wait for what `advance` would skip to',
      defaultDescription: '5m',
    },
    'fail-on-skipped': {
      type: 'boolean',
      default: false,
      describe: 'Exit with 1 if a step was skipped',
    },
    token: {
      type: 'string',
      requiresArg: true,
      describe: 'Token of the control API, if the server is a simulator that requires one',
      defaultDescription: 'GATEWAY_SIM_CONTROL_TOKEN',
    },
    'control-prefix': {
      type: 'string',
      requiresArg: true,
      describe: 'Path prefix of its control API',
      defaultDescription: '/__sim',
    },
  },
  async handler(args, io) {
    const { replayFiles } = await import('../replay/replay-files.ts')
    return replayFiles(
      {
        files: (args as unknown as { readonly files: readonly string[] }).files,
        baseUrl: args['base-url'],
        apiKeys: args['api-key'] ?? [],
        allowFiles: args['allow-files'] ?? [],
        reporter: args.reporter as 'pretty' | 'json' | 'junit',
        trace: args.trace,
        limit: args.limit,
        failOnSkipped: args['fail-on-skipped'],
        token: args.token,
        controlPrefix: args['control-prefix'],
      },
      io,
    )
  },
})
