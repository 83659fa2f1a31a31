/** `gateway-sim explain`: draws what scenario files say. */
import { defineCommand } from '../command.ts'

export const explain = defineCommand({
  command: 'explain <files..>',
  describe:
    'Draw the rules of scenario files over virtual time: timelines, streams, faults, and the steps as a story',
  flags: {
    operation: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Only rules about this operation or group (imageJobs.*); may be given several times',
    },
    format: {
      type: 'string',
      choices: ['pretty', 'json'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Form of what is printed on stdout',
    },
    ascii: {
      type: 'boolean',
      default: false,
      describe: 'Draw with ASCII alone, as for terminals whose locale is not UTF-8',
    },
  },
  async handler(args, io) {
    const { explainFiles } = await import('../explain/explain-files.ts')
    return explainFiles(
      {
        files: (args as unknown as { readonly files: readonly string[] }).files,
        operations: args.operation ?? [],
        format: args.format as 'pretty' | 'json',
        ascii: args.ascii,
      },
      io,
    )
  },
})
