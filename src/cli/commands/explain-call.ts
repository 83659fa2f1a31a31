/** `gateway-sim explain-call`: asks a running simulator why a call got the reply it got. */
import { CommandError, defineCommand, exitCodes } from '../command.ts'

export const explainCall = defineCommand({
  command: 'explain-call <id>',
  describe: 'Say why a call got its reply: by the request id of the reply, or by the number of the call',
  flags: {
    url: {
      type: 'string',
      requiresArg: true,
      describe: 'Address of the simulator',
      defaultDescription: 'GATEWAY_SIM_URL, else http://127.0.0.1:4010',
    },
    session: {
      type: 'string',
      requiresArg: true,
      describe: 'Session whose calls are numbered; a request id finds its own',
      defaultDescription: 'default',
    },
    token: {
      type: 'string',
      requiresArg: true,
      describe: 'Token of the control API, where it needs one',
      defaultDescription: 'GATEWAY_SIM_CONTROL_TOKEN',
    },
    'control-prefix': {
      type: 'string',
      default: '/__sim',
      requiresArg: true,
      describe: 'Where the control API stands',
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
        `No simulator answers at ${url} (${reasonOf(error)}): start one with gateway-sim serve, or name another with --url`,
      )
    }
    const said = await reply.text()
    const body = jsonOf(said)
    if (!reply.ok || typeof body?.['text'] !== 'string')
      throw new CommandError(
        exitCodes.failed,
        `${url} answered ${reply.status}: ${messageOf(body) ?? `expected an explanation, got ${said.slice(0, 200)}`}`,
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

// A problem document (RFC 9457) or the envelope of the service.
function messageOf(body: Record<string, unknown> | undefined): string | undefined {
  const { detail, error } = (body ?? {}) as {
    readonly detail?: unknown
    readonly error?: { readonly message?: unknown }
  }
  return typeof detail === 'string' ? detail : typeof error?.message === 'string' ? error.message : undefined
}
