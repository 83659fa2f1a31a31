/** The commands about scenario files alone: `validate`, `explain`. */

import { defineCommand } from '../command.ts'
import { allowFilesFlag, configFlag } from '../flags.ts'

/** `gateway-sim explain`: draws what scenario files do. */
export const explain = defineCommand({
  command: 'explain <files..>',
  describe: 'Show what scenario files do over virtual time: timelines, streams, faults and steps',
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
      choices: ['pretty', 'json'],
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
    return explainFiles(args, io)
  },
})

export const validate = defineCommand({
  command: 'validate <files..>',
  describe:
    'Check scenario files, each and as a set, and the settings file, and report every mistake with its ' +
    'place (- reads stdin)',
  examples: [
    ['gateway-sim validate outage.yaml', 'Check one file'],
    ['gateway-sim validate scenarios --format github', 'Annotate the lines of a pull request'],
    ['gateway-sim validate scenarios --max-warnings 0', 'Fail on warnings too'],
  ],
  flags: {
    format: {
      type: 'string',
      choices: ['pretty', 'json', 'github'],
      default: 'pretty',
      requiresArg: true,
      describe: 'Output format; github: annotations of a workflow',
    },
    'allow-files': allowFilesFlag,
    config: {
      ...configFlag,
      describe: 'Settings file to check as well; the scenarios are checked with its settings',
    },
    'max-warnings': {
      type: 'string',
      requiresArg: true,
      describe: 'Exit with 1 if there are more warnings: 0 allows none',
    },
    each: { type: 'boolean', default: false, describe: 'Check each file on its own, not the set' },
  },
  async handler(args, io) {
    const { validateFiles } = await import('../validate/validate-files.ts')
    return validateFiles(args, io)
  },
})
