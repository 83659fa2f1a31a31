/** `gateway-sim replay`: runs the steps of scenario files and checks the replies. */

import { CommandError, defineCommand, exitCodes } from '../command.ts'
import { allowFilesFlag, configFlag } from '../flags.ts'

export const replay = defineCommand({
  command: 'replay <files..>',
  describe:
    'Run the steps of scenario files or directories (- for stdin) in-process or against a server, and ' +
    'check the replies',
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
      describe:
        "API key for the server, in place of a scenario's first key (sk-scenario where it has none); " +
        'NAME=KEY is in place of the key NAME',
    },
    'allow-files': allowFilesFlag,
    config: { ...configFlag, describe: 'Settings file for the in-process simulator' },
    reporter: {
      type: 'string',
      choices: ['pretty', 'json', 'junit'],
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
    'allow-skipped': {
      type: 'boolean',
      default: false,
      describe: 'Do not exit with 5 if every step of a scenario was skipped',
    },
    'fail-on-skipped': {
      type: 'boolean',
      default: false,
      describe: 'Exit with 5 if any step was skipped',
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
    if (args['allow-skipped'] && args['fail-on-skipped'])
      throw new CommandError(exitCodes.usage, '--allow-skipped and --fail-on-skipped are mutually exclusive')
    const { replayFiles } = await import('../replay/replay-files.ts')
    return replayFiles(args, io)
  },
})
