/** `gateway-sim exec`: runs a command against a private simulator. */
import { defineCommand } from '../command.ts'
import { failures } from '../exec/failures.ts'
import { serverFlags, serverFlagsOf } from '../serve/server-flags.ts'

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
  flags: {
    ...serverFlags(0, 'auto'),
    report: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Write a report: junit=FILE, json=FILE or md=FILE; repeatable',
    },
    'fail-on': {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: `Exit with 1 on any of ${Object.keys(failures).join(', ')}; comma-separated or repeated`,
    },
    log: {
      type: 'string',
      choices: ['pretty', 'json'] as const,
      requiresArg: true,
      describe: 'Log each call to stderr in this format',
      defaultDescription: 'no call log',
    },
    quiet: {
      type: 'boolean',
      default: false,
      describe: 'Print no summary, only warnings and the reasons for a failure',
    },
  },
  async handler(args, io) {
    const { runCommand } = await import('../exec/exec-command.ts')
    return runCommand(
      {
        ...serverFlagsOf(args),
        command: (args as unknown as { readonly command: readonly string[] }).command,
        reports: args.report ?? [],
        failOn: args['fail-on'] ?? [],
        log: args.log as 'pretty' | 'json' | undefined,
        quiet: args.quiet,
      },
      io,
    )
  },
})
