/** `gateway-sim replay`: runs the steps of scenario files and says what held. */
import { defineCommand } from '../command.ts'

export const replay = defineCommand({
  command: 'replay <files..>',
  describe:
    'Run the steps of scenario files (directories, or - for standard input), in-process on virtual time or against a server, and check what comes',
  flags: {
    'base-url': {
      type: 'string',
      requiresArg: true,
      describe: 'Run against this server (its address without /v1) instead of in-process',
    },
    'api-key': {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe:
        "Key for that server, in the place of the scenario's first; NAME=KEY for another one of its keys",
    },
    reporter: {
      type: 'string',
      choices: ['pretty', 'json', 'junit'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Form of what is printed on stdout',
    },
    trace: {
      type: 'string',
      requiresArg: true,
      describe: 'Write all that was sent and received to this file: the same bytes in every in-process run',
    },
    limit: {
      requiresArg: true,
      describe: 'Where time cannot be moved: how long to wait for what `advance` would bring',
      defaultDescription: '5m',
    },
    'fail-on-skipped': {
      type: 'boolean',
      default: false,
      describe: 'End with 1 when a step was skipped, too: what is not tried is not proven',
    },
    token: {
      type: 'string',
      requiresArg: true,
      describe: 'Token of the control API, where that server is a simulator that needs one',
      defaultDescription: 'GATEWAY_SIM_CONTROL_TOKEN',
    },
    'control-prefix': {
      type: 'string',
      requiresArg: true,
      describe: 'Where its control API stands',
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
