/** `gateway-sim validate`: checks scenario files. */
import { allowFilesFlag } from '../allow-files.ts'
import { defineCommand } from '../command.ts'

export const validate = defineCommand({
  command: 'validate <files..>',
  describe:
    'Check scenario files, each and as a set, and report every mistake with its place (- reads stdin)',
  examples: [
    ['gateway-sim validate outage.yaml', 'Check one file'],
    ['gateway-sim validate scenarios --format github', 'Annotate the lines of a pull request'],
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
    each: { type: 'boolean', default: false, describe: 'Check each file on its own, not the set' },
  },
  async handler(args, io) {
    const { validateFiles } = await import('../validate/validate-files.ts')
    return validateFiles(
      {
        files: (args as unknown as { readonly files: readonly string[] }).files,
        format: args.format as 'pretty' | 'json' | 'github',
        each: args.each,
        allowFiles: args['allow-files'] ?? [],
      },
      io,
    )
  },
})
