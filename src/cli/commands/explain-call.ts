/** `gateway-sim explain-call`: asks a running simulator why a call got its reply. */
import { CommandError, defineCommand, exitCodes } from '../command.ts'

export const explainCall = defineCommand({
  command: 'explain-call <id>',
  describe:
    'Explain why a call got its reply, given its request id, the trace id of its error, or its number in ' +
    'the journal',
  examples: [
    ['gateway-sim explain-call req_0f3a', 'Explain the call with this request id'],
    ['gateway-sim explain-call 3 --session checkout', 'Explain call number 3 of the session checkout'],
  ],
  flags: {
    url: {
      type: 'string',
      requiresArg: true,
      describe: 'URL of the simulator',
      defaultDescription: 'GATEWAY_SIM_URL, else http://127.0.0.1:4010',
    },
    session: {
      type: 'string',
      requiresArg: true,
      describe: 'Session of the call; not needed with a request id',
      defaultDescription: 'default',
    },
    token: {
      type: 'string',
      requiresArg: true,
      describe: 'Token of the control API, if it requires one',
      defaultDescription: 'GATEWAY_SIM_CONTROL_TOKEN',
    },
    'control-prefix': {
      type: 'string',
      default: '/__sim',
      requiresArg: true,
      describe: 'Path prefix of the control API',
    },
    json: { type: 'boolean', default: false, describe: 'Print JSON' },
  },
  async handler(args, { stdout, env }) {
    const { id } = args as unknown as { readonly id: string }
    const url = args.url ?? env['GATEWAY_SIM_URL'] ?? 'http://127.0.0.1:4010'
    if (!URL.canParse(url))
      throw new CommandError(
        exitCodes.usage,
        `--url: expected an address such as http://127.0.0.1:4010, got ${JSON.stringify(url)}`,
      )
    const token = args.token ?? env['GATEWAY_SIM_CONTROL_TOKEN']
    const headers = {
      ...(args.session === undefined ? {} : { 'x-sim-session': args.session }),
      ...(token === undefined ? {} : { 'x-sim-token': token }),
    }
    let reply: Response
    try {
      reply = await fetch(
        `${url.replace(/\/+$/, '')}${args['control-prefix']}/journal/${encodeURIComponent(id)}/explain`,
        { headers },
      )
    } catch (error) {
      throw new CommandError(
        exitCodes.failed,
        `No simulator answers at ${url} (${reasonOf(error)}): start one with gateway-sim serve, or set --url`,
      )
    }
    const text = await reply.text()
    const body = jsonOf(text)
    if (!reply.ok || typeof body?.['text'] !== 'string')
      throw new CommandError(
        exitCodes.failed,
        [
          `${url} answered ${reply.status}:`,
          messageOf(body) ?? `expected an explanation, got ${text.slice(0, 200)}`,
        ].join(' '),
      )
    stdout.write(args.json ? `${JSON.stringify(body, null, 2)}\n` : `${body['text']}\n`)
    return exitCodes.ok
  },
})

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code ?? message
}

function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

// A problem document (RFC 9457), or an error envelope of the gateway.
function messageOf(body: Record<string, unknown> | undefined): string | undefined {
  const { detail, error } = (body ?? {}) as {
    readonly detail?: unknown
    readonly error?: { readonly message?: unknown }
  }
  return typeof detail === 'string' ? detail : typeof error?.message === 'string' ? error.message : undefined
}
