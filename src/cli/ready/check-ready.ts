/** What `gateway-sim ready` does, from its flags to its exit code. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { formatDuration, parseDuration } from '../../engine/duration.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { createProgress } from '../progress.ts'

export interface ReadyFlags {
  readonly wait: boolean
  readonly url: string | undefined
  readonly readyFile: string | undefined
  /** Of the control API: `/__sim`. */
  readonly prefix: string
  /** As written. */
  readonly timeout: unknown
}

/** What was seen: an address that answers, or why not, in words. */
type Seen = { readonly ready: true; readonly url: string } | { readonly ready: false; readonly why: string }

const defaultUrl = 'http://127.0.0.1:4010'
const defaultTimeout = 30_000
/** Real milliseconds between two questions, and how long one may take. */
const pause = 100
const patience = 2000

/** Asks once, or until the time is up. Throws `CommandError` for flags that cannot be. */
export async function askWhetherReady(
  { wait, url, readyFile, prefix, timeout: written }: ReadyFlags,
  io: Io,
): Promise<ExitCode> {
  if (url !== undefined && readyFile !== undefined)
    throw new CommandError(exitCodes.usage, '--url and --ready-file both name a server: leave one out')
  if (written !== undefined && !wait)
    throw new CommandError(exitCodes.usage, '--timeout needs --wait: without it the server is asked once')
  const timeout = written === undefined ? defaultTimeout : (parseDuration(written) ?? 0)
  if (timeout === 0)
    throw new CommandError(
      exitCodes.usage,
      `--timeout: expected a duration such as 30s or 2m, got ${JSON.stringify(written)}`,
    )
  const given = url ?? (readyFile === undefined ? (io.env['GATEWAY_SIM_URL'] ?? defaultUrl) : undefined)
  const address =
    given === undefined ? undefined : addressOf(given, url === undefined ? 'GATEWAY_SIM_URL' : '--url')
  const look = async (longest: number): Promise<Seen> => {
    const found = address ?? (await addressIn(resolve(io.cwd, readyFile as string), readyFile as string))
    return typeof found === 'string'
      ? ask(found, `/${prefix.replace(/^\/+|\/+$/g, '')}/health`, longest)
      : found
  }

  const progress = createProgress(io.stderr)
  const end = performance.now() + timeout
  for (;;) {
    const left = end - performance.now()
    const seen = await look(wait ? Math.max(1, Math.min(patience, left)) : patience)
    if (seen.ready) {
      progress.clear()
      io.stdout.write(`gateway-sim answers at ${seen.url}\n`)
      return exitCodes.ok
    }
    if (!wait || performance.now() + pause >= end) {
      progress.clear()
      io.stderr.write(
        `gateway-sim: not ready${wait ? ` after ${formatDuration(timeout)}` : ''}: ${seen.why}\n`,
      )
      return exitCodes.failed
    }
    if (io.stderr.isTTY === true) progress.show('waiting', seen.why)
    await rest(pause)
  }
}

/**
 * Whether a simulator answers there. Only what it says of itself counts: another server on the port is no
 * simulator.
 */
async function ask(url: string, path: string, longest: number): Promise<Seen> {
  const no = (why: string): Seen => ({ ready: false, why: `${url} ${why}` })
  try {
    const reply = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(Math.ceil(longest)) })
    const health = (await reply.json().catch(() => undefined)) as
      | { readonly status?: unknown }
      | null
      | undefined
    if (reply.status === 200 && health?.status === 'ok') return { ready: true, url }
    return no(
      `answers ${reply.status} to GET ${path}: no gateway-sim, or one whose control API is off or elsewhere (--control-prefix)`,
    )
  } catch (error) {
    const { name, cause } = error as {
      readonly name?: string
      readonly cause?: { readonly code?: string; readonly message?: string }
    }
    if (name === 'TimeoutError') return no(`has not answered within ${formatDuration(Math.ceil(longest))}`)
    return no(
      `cannot be reached (${cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error))})`,
    )
  }
}

/** An address without what SDKs want behind it. */
function addressOf(written: string, name: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  )
    throw new CommandError(
      exitCodes.usage,
      `${name}: expected an address such as ${defaultUrl}, got ${written}`,
    )
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '')
}

async function addressIn(path: string, shown: string): Promise<string | Seen> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { ready: false, why: `${shown}: there is no such file` }
    return { ready: false, why: `${shown} cannot be read (${message})` }
  }
  try {
    const { url } = JSON.parse(text) as { readonly url?: unknown }
    if (typeof url === 'string' && URL.canParse(url)) return url
  } catch {
    // What follows says it.
  }
  return { ready: false, why: `${shown} is no ready file: expected JSON with an address in \`url\`` }
}
