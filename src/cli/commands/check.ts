/** `gateway-sim check`: checks whether a gateway keeps the contract. */
import { defineCommand } from '../command.ts'

export const check = defineCommand({
  command: 'check',
  describe:
    'Check whether a gateway keeps the contract: send it a suite of calls, judge the replies, and report ' +
    'what differs',
  examples: [
    ['gateway-sim check --base-url https://gw.example --api-key sk-1', 'Send what must be refused'],
    ['gateway-sim check --base-url https://gw.example --spend all', 'Everything, with GATEWAY_API_KEY'],
    ['gateway-sim check --recording calls.har', 'Judge what was recorded, offline'],
    ['gateway-sim check --spend all --list', 'Show what would be sent'],
  ],
  flags: {
    'base-url': {
      type: 'string',
      requiresArg: true,
      describe: 'The gateway to check (URL without /v1)',
    },
    'api-key': {
      type: 'string',
      requiresArg: true,
      describe: 'A key that the gateway takes; it is in no output',
      defaultDescription: 'GATEWAY_API_KEY',
    },
    recording: {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: 'Judge this HAR file, or all in this folder, instead of asking a gateway',
    },
    spend: {
      type: 'string',
      choices: ['none', 'little', 'all'] as const,
      default: 'none',
      requiresArg: true,
      describe: 'What it may cost: nothing (only refusals), some tokens, or images and videos too',
    },
    only: {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: 'Check only this operation (chat.create) or group (videos.*)',
    },
    model: {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: 'The model to use, GROUP=ID: chat=gpt-4o; else what /v1/models lists, or a guess',
    },
    accept: {
      type: 'string',
      requiresArg: true,
      describe: 'A YAML file of known deviations, which do not count',
    },
    limit: {
      requiresArg: true,
      describe: 'How long to wait for one job or video',
      defaultDescription: '10m',
    },
    timeout: {
      requiresArg: true,
      describe: 'How long the whole check may take; what is left is not judged',
      defaultDescription: 'none',
    },
    report: {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: 'Write the report to a file too: json=FILE, junit=FILE or markdown=FILE',
    },
    list: {
      type: 'boolean',
      default: false,
      describe: 'Only list what would be sent, with the statement of the contract that it holds',
    },
  },
  async handler(args, io) {
    const { runCheck } = await import('../check/run-check.ts')
    return runCheck(
      {
        baseUrl: args['base-url'],
        apiKey: args['api-key'],
        spend: args.spend as 'none' | 'little' | 'all',
        only: args.only ?? [],
        models: args.model ?? [],
        accept: args.accept,
        limit: args.limit,
        timeout: args.timeout,
        reports: args.report ?? [],
        list: args.list,
        recordings: args.recording ?? [],
      },
      io,
    )
  },
})
