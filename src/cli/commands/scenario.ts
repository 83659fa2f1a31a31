/** `gateway-sim scenario from-recording`: writes a scenario file from a recording. */
import { CommandError, defineCommand, exitCodes } from '../command.ts'

export const scenario = defineCommand({
  command: 'scenario <action> <file>',
  describe:
    'Write a scenario file from a recording, a HAR file or a folder of them (from-recording): a rule for ' +
    'each request, timelines from polls, and steps that replay it',
  examples: [
    ['gateway-sim scenario from-recording recordings --steps-only', 'Steps to replay against that gateway'],
    ['gateway-sim scenario from-recording calls.har', 'Print a scenario'],
    ['gateway-sim scenario from-recording calls.har -o calls.yaml', 'Write it to a file'],
  ],
  flags: {
    output: {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      describe: 'File to write',
      defaultDescription: 'standard output',
    },
    'steps-only': {
      type: 'boolean',
      default: false,
      describe: 'Write no rules, so that `replay --base-url` runs every step against the recorded gateway',
    },
  },
  async handler(args, io) {
    const { action, file } = args as unknown as { readonly action: string; readonly file: string }
    if (action !== 'from-recording')
      throw new CommandError(
        exitCodes.usage,
        `scenario: expected the action from-recording, got ${JSON.stringify(action)}`,
      )
    const { writeScenario } = await import('../scenario/write-scenario.ts')
    return writeScenario(file, { output: args.output, stepsOnly: args['steps-only'] }, io)
  },
})
