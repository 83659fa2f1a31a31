/** `gateway-sim ready`: checks whether a server is up. */
import { defineCommand } from '../command.ts'

export const ready = defineCommand({
  command: 'ready',
  describe: 'Check whether a gateway-sim server is up: exits with 0 if it is, with 1 if not',
  examples: [
    ['gateway-sim ready', 'Check once'],
    ['gateway-sim ready --wait --timeout 10s', 'Wait up to ten seconds for the server to start'],
  ],
  flags: {
    wait: {
      type: 'boolean',
      default: false,
      describe: 'Retry until the server is up or the timeout expires',
    },
    url: {
      type: 'string',
      requiresArg: true,
      describe: 'URL of the server',
      defaultDescription: 'GATEWAY_SIM_URL, else http://127.0.0.1:4010',
    },
    'ready-file': {
      type: 'string',
      requiresArg: true,
      describe: 'Read the URL from this file, written by `serve --ready-file`',
    },
    'control-prefix': {
      type: 'string',
      default: '/__sim',
      requiresArg: true,
      describe: 'Path prefix of the control API',
    },
    timeout: { requiresArg: true, describe: 'How long --wait retries', defaultDescription: '30s' },
  },
  async handler(args, io) {
    const { checkReady } = await import('../ready/check-ready.ts')
    return checkReady(
      {
        wait: args.wait,
        url: args.url,
        readyFile: args['ready-file'],
        prefix: args['control-prefix'],
        timeout: args.timeout,
      },
      io,
    )
  },
})
