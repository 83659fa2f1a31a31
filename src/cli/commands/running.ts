/** The commands that ask a running simulator: `ready`, `explain-call`. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration, parseDuration } from '../../engine/duration.ts'
import { createProgress } from '../call-log.ts'
import { CommandError, defineCommand, type ExitCode, exitCodes, type Io } from '../command.ts'
import { parseBaseUrl } from '../flags.ts'

/** `gateway-sim explain-call`: asks a running simulator why a call got its reply. */
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
  async handler({ id, url: given, token: flag, session, controlPrefix, json }, { stdout, env }) {
    const url = given ?? env['GATEWAY_SIM_URL'] ?? defaultUrl
    if (!URL.canParse(url))
      throw new CommandError(
        exitCodes.usage,
        `--url: expected an address such as ${defaultUrl}, got ${JSON.stringify(url)}`,
      )
    const { connect, ControlError } = await import('../../client.ts')
    const token = flag ?? env['GATEWAY_SIM_CONTROL_TOKEN']
    const simulator = connect(url, { session, token, prefix: controlPrefix })
    const explanation = await simulator.explainCall(id).catch((error: unknown) => {
      if (error instanceof ControlError) throw new CommandError(exitCodes.failed, error.message)
      throw error
    })
    stdout.write(json ? `${JSON.stringify(explanation, null, 2)}\n` : `${explanation.text}\n`)
    return exitCodes.ok
  },
})

/** Runs `gateway-sim ready`. */
interface ReadyFlags {
  readonly wait: boolean
  readonly url: string | undefined
  readonly readyFile: string | undefined
  /** Path prefix of the control API. */
  readonly controlPrefix: string
  /** Unparsed. */
  readonly timeout: unknown
}

type Status =
  | { readonly ready: true; readonly url: string }
  | { readonly ready: false; readonly reason: string }

const defaultUrl = 'http://127.0.0.1:4010'
const defaultTimeout = 30_000
/** In real milliseconds. */
const retryInterval = 100
const requestTimeout = 2000

/** Checks once, or until the timeout. Throws `CommandError` for invalid flags. */
async function checkReady(flags: ReadyFlags, io: Io): Promise<ExitCode> {
  const { wait } = flags
  const timeout = timeoutOf(flags)
  const check = statusCheck(flags, io)
  const progress = createProgress(io.stderr)
  const deadline = performance.now() + timeout
  for (;;) {
    const remaining = deadline - performance.now()
    const status = await check(wait ? Math.max(1, Math.min(requestTimeout, remaining)) : requestTimeout)
    if (status.ready) {
      progress.clear()
      io.stdout.write(`gateway-sim is ready at ${status.url}\n`)
      return exitCodes.ok
    }
    if (!wait || performance.now() + retryInterval >= deadline) {
      progress.clear()
      const after = wait ? ` after ${formatDuration(timeout)}` : ''
      io.stderr.write(`gateway-sim: not ready${after}: ${status.reason}\n`)
      return exitCodes.failed
    }
    if (io.stderr.isTTY === true) progress.show('waiting', status.reason)
    await sleep(retryInterval)
  }
}

function timeoutOf({ wait, timeout }: ReadyFlags): number {
  if (timeout === undefined) return defaultTimeout
  if (!wait) throw new CommandError(exitCodes.usage, '--timeout needs --wait')
  const ms = parseDuration(timeout) ?? 0
  if (ms === 0)
    throw new CommandError(
      exitCodes.usage,
      `--timeout: expected a duration such as 30s or 2m, got ${JSON.stringify(timeout)}`,
    )
  return ms
}

/** A function that asks the server once, within a number of milliseconds. */
function statusCheck(
  { url, readyFile, controlPrefix }: ReadyFlags,
  { env, cwd }: Io,
): (timeout: number) => Promise<Status> {
  const path = `/${controlPrefix.replace(/^\/+|\/+$/g, '')}/health`
  if (readyFile === undefined) {
    const given = url ?? env['GATEWAY_SIM_URL'] ?? defaultUrl
    const server = checkUrl(given, url === undefined ? 'GATEWAY_SIM_URL' : '--url')
    return (timeout) => askServer(server, path, timeout)
  }
  if (url !== undefined)
    throw new CommandError(exitCodes.usage, '--url and --ready-file are mutually exclusive')
  return async (timeout) => {
    // Read every time: the server may not have written it yet.
    const server = await readReadyFile(resolve(cwd, readyFile), readyFile)
    return typeof server === 'string' ? askServer(server, path, timeout) : server
  }
}

/** Asks the health endpoint of the control API, so that another server on the port does not count. */
async function askServer(url: string, path: string, timeout: number): Promise<Status> {
  const notReady = (reason: string): Status => ({ ready: false, reason: `${url} ${reason}` })
  try {
    const reply = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(Math.ceil(timeout)) })
    const health = (await reply.json().catch(() => undefined)) as
      | { readonly status?: unknown }
      | null
      | undefined
    if (reply.status === 200 && health?.status === 'ok') return { ready: true, url }
    return notReady(
      `answered GET ${path} with ${reply.status}: not a gateway-sim server, ` +
        'or its control API is off or under another --control-prefix',
    )
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    if (name === 'TimeoutError')
      return notReady(`did not answer within ${formatDuration(Math.ceil(timeout))}`)
    return notReady(`cannot be reached (${cause?.code ?? cause?.message ?? message})`)
  }
}

/** Normalizes a base URL; the `/v1` that SDKs need is dropped. */
function checkUrl(text: string, source: string): string {
  const base = parseBaseUrl(text)
  if (base === undefined)
    throw new CommandError(exitCodes.usage, `${source}: expected a URL such as ${defaultUrl}, got ${text}`)
  return base
}

async function readReadyFile(path: string, shown: string): Promise<string | Status> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return {
      ready: false,
      reason: code === 'ENOENT' ? `${shown}: there is no such file` : `${shown} cannot be read (${message})`,
    }
  }
  try {
    const { url } = JSON.parse(text) as { readonly url?: unknown }
    if (typeof url === 'string' && URL.canParse(url)) return url
  } catch {
    // Not JSON: reported below.
  }
  return { ready: false, reason: `${shown} is not a ready file: expected JSON with a URL in \`url\`` }
}

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
  handler: (args, io) => checkReady(args, io),
})
