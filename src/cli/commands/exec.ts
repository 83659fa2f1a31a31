/** `gateway-sim exec`: runs a command against a simulator of its own. */
import { defineCommand } from '../command.ts'
import { serverFlags, serverFlagsOf } from '../serve/server-flags.ts'

export const exec = defineCommand({
  command: 'exec',
  describe:
    'Run a command against a simulator that lives as long, tell its SDKs where it is, and say how it was used',
  rest: 'command',
  flags: {
    ...serverFlags(0, 'auto'),
    report: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Write what was seen to a file: junit=FILE, json=FILE or md=FILE; several are possible',
    },
    'fail-on': {
      type: 'string',
      array: true,
      requiresArg: true,
      describe:
        'End with 1 although the command ended with 0: client-report, unmatched, unused, refused or no-calls; several, also with commas',
    },
    log: {
      type: 'string',
      choices: ['pretty', 'json'] as const,
      requiresArg: true,
      describe: 'Log each call on stderr, in this form',
      defaultDescription: 'no call log',
    },
    quiet: {
      type: 'boolean',
      default: false,
      describe: 'No summary; what fails the command, and warnings, stay',
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
