/** `gateway-sim validate`: says of scenario files whether they can be used. */
import { defineCommand } from '../command.ts'

export const validate = defineCommand({
  command: 'validate <files..>',
  describe: 'Check scenario files, each and together: every mistake with its place (- reads standard input)',
  flags: {
    format: {
      type: 'string',
      choices: ['pretty', 'json', 'github'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Form of what is printed on stdout; github: annotations of a workflow',
    },
    each: { type: 'boolean', default: false, describe: 'Each file for itself; as a set they need not agree' },
  },
  async handler(args, io) {
    const { validateFiles } = await import('../validate/validate-files.ts')
    return validateFiles(
      {
        files: (args as unknown as { readonly files: readonly string[] }).files,
        format: args.format as 'pretty' | 'json' | 'github',
        each: args.each,
      },
      io,
    )
  },
})
