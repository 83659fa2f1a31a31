/** `gateway-sim validate`: checks scenario files. */
import { allowFilesFlag } from '../allow-files.ts'
import { CommandError, defineCommand, exitCodes } from '../command.ts'

function maxWarningsOf(written: string | undefined): number | undefined {
  if (written === undefined || /^\d{1,9}$/.test(written))
    return written === undefined ? written : Number(written)
  throw new CommandError(
    exitCodes.usage,
    `--max-warnings: expected a whole number such as 0, got ${JSON.stringify(written)}`,
  )
}

export const validate = defineCommand({
  command: 'validate <files..>',
  describe:
    'Check scenario files, each and as a set, and report every mistake with its place (- reads stdin)',
  examples: [
    ['gateway-sim validate outage.yaml', 'Check one file'],
    ['gateway-sim validate scenarios --format github', 'Annotate the lines of a pull request'],
    ['gateway-sim validate scenarios --max-warnings 0', 'Fail on warnings too'],
  ],
  flags: {
    format: {
      type: 'string',
      choices: ['pretty', 'json', 'github'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Output format; github: annotations of a workflow',
    },
    'allow-files': allowFilesFlag,
    'max-warnings': {
      type: 'string',
      requiresArg: true,
      describe: 'Exit with 1 if there are more warnings: 0 allows none',
    },
    each: { type: 'boolean', default: false, describe: 'Check each file on its own, not the set' },
  },
  async handler(args, io) {
    const { validateFiles } = await import('../validate/validate-files.ts')
    return validateFiles(
      {
        files: (args as unknown as { readonly files: readonly string[] }).files,
        format: args.format as 'pretty' | 'json' | 'github',
        each: args.each,
        maxWarnings: maxWarningsOf(args['max-warnings']),
        allowFiles: args['allow-files'] ?? [],
      },
      io,
    )
  },
})
