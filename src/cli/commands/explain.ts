/** `gateway-sim explain`: draws what scenario files do. */
import { defineCommand } from '../command.ts'

export const explain = defineCommand({
  command: 'explain <files..>',
  describe:
    'Show what scenario files do over virtual time: timelines, streams, faults, and the steps as a story',
  examples: [
    ['gateway-sim explain outage.yaml', 'Draw every rule of a scenario'],
    ["gateway-sim explain scenarios --operation 'imageJobs.*'", 'Draw only rules for image jobs'],
  ],
  flags: {
    operation: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Only rules for this operation or group (imageJobs.*); repeatable',
    },
    format: {
      type: 'string',
      choices: ['pretty', 'json'] as const,
      default: 'pretty',
      requiresArg: true,
      describe: 'Output format',
    },
    ascii: {
      type: 'boolean',
      default: false,
      describe: 'Draw with ASCII characters only; the default where the locale is not UTF-8',
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
