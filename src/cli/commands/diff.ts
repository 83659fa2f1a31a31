/** `gateway-sim diff`: shows what changed between two recordings. */
import { defineCommand } from '../command.ts'

export const diff = defineCommand({
  command: 'diff <before> <after>',
  describe:
    'Show what changed between two recordings (HAR files, or folders of them): statuses, fields, types, ' +
    'words, headers; ids, times and texts are no changes',
  examples: [
    ['gateway-sim diff january.har february.har', 'Exit with 1 if the gateway has changed'],
    ['gateway-sim diff january.har february.har --json', 'The same for programs'],
  ],
  flags: {
    json: { type: 'boolean', default: false, describe: 'Print JSON' },
  },
  async handler(args, io) {
    const { diffFiles } = await import('../diff/diff-files.ts')
    const { before, after } = args as unknown as { readonly before: string; readonly after: string }
    return diffFiles({ before, after, json: args.json }, io)
  },
})
