/** `gateway-sim ready`: whether a server answers. */
import { defineCommand } from '../command.ts'

export const ready = defineCommand({
  command: 'ready',
  describe: 'Ask whether a server of gateway-sim answers: 0 when it does, 1 when not',
  flags: {
    wait: { type: 'boolean', default: false, describe: 'Go on asking until it answers or the time is up' },
    url: {
      type: 'string',
      requiresArg: true,
      describe: 'Address of the server',
      defaultDescription: 'GATEWAY_SIM_URL, else http://127.0.0.1:4010',
    },
    'ready-file': {
      type: 'string',
      requiresArg: true,
      describe: 'File that `serve --ready-file` writes: the address is taken from it',
    },
    'control-prefix': {
      type: 'string',
      default: '/__sim',
      requiresArg: true,
      describe: 'Where the control API stands',
    },
    timeout: { requiresArg: true, describe: 'How long to wait', defaultDescription: '30s' },
  },
  async handler(args, io) {
    const { askWhetherReady } = await import('../ready/check-ready.ts')
    return askWhetherReady(
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
