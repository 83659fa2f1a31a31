/** Runs `gateway-sim ready`. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../../engine/duration.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { escapeControls } from '../../text/printable.ts'
import { createProgress } from '../call-log.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import { durationOf, type ReadyArgs, simulatorUrlOf } from '../flags.ts'

type Status =
  | { readonly ready: true; readonly url: string }
  | { readonly ready: false; readonly reason: string }

const defaultTimeout = 30_000
/** In real milliseconds. */
const retryInterval = 100
const requestTimeout = 2000

/** Checks once, or until the timeout. Throws `CommandError` for invalid flags. */
export async function checkReady(flags: ReadyArgs, io: Io): Promise<ExitCode> {
  const { wait, format } = flags
  const isJson = format === 'json'
  const timeout = timeoutOf(flags)
  const check = statusCheck(flags, io)
  const progress = createProgress(io.stderr)
  const deadline = performance.now() + timeout
  for (;;) {
    const remaining = deadline - performance.now()
    const status = await check(wait ? Math.max(1, Math.min(requestTimeout, remaining)) : requestTimeout)
    if (status.ready) {
      progress.clear()
      io.stdout.write(isJson ? jsonLine(status) : `gateway-sim is ready at ${status.url}\n`)
      return exitCodes.ok
    }
    if (!wait || performance.now() + retryInterval >= deadline) {
      progress.clear()
      const after = wait ? ` after ${formatDuration(timeout)}` : ''
      if (isJson) io.stdout.write(jsonLine(status))
      else io.stderr.write(`gateway-sim: not ready${after}: ${status.reason}\n`)
      return exitCodes.failed
    }
    if (io.stderr.isTTY === true) progress.show('waiting', status.reason)
    await sleep(retryInterval)
  }
}

const jsonLine = (status: Status): string => `${JSON.stringify(status)}\n`

function timeoutOf({ wait, timeout }: ReadyArgs): number {
  if (timeout !== undefined && !wait) throw usageError('--timeout needs --wait')
  return durationOf('--timeout', timeout, '30s or 2m') ?? defaultTimeout
}

/** A function that asks the server once, within a number of milliseconds. */
function statusCheck(
  { baseUrl, readyFile }: ReadyArgs,
  { env, cwd }: Io,
): (timeout: number) => Promise<Status> {
  const path = `${controlPrefix}/ready`
  if (readyFile === undefined) {
    const server = simulatorUrlOf({ baseUrl }, env)
    return (timeout) => askServer(server, path, timeout)
  }
  if (baseUrl !== undefined) throw usageError('--base-url and --ready-file are mutually exclusive')
  return async (timeout) => {
    // Read every time: the server may not have written it yet.
    const server = await readReadyFile(resolve(cwd, readyFile), readyFile)
    return typeof server === 'string' ? askServer(server, path, timeout) : server
  }
}

/** Asks the control API, so that another server on the port does not count. */
async function askServer(url: string, path: string, timeout: number): Promise<Status> {
  const notReady = (reason: string): Status => ({ ready: false, reason: `${url} ${reason}` })
  try {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(Math.ceil(timeout)) })
    const body = (await response.json().catch(() => undefined)) as
      | { readonly ready?: unknown; readonly detail?: unknown; readonly type?: unknown }
      | null
      | undefined
    if (response.status === 200 && body?.ready === true) return { ready: true, url }
    if (String(body?.type).startsWith('urn:gateway-sim:'))
      return notReady(`responded: ${escapeControls(String(body?.detail))}`)
    return notReady(
      `responded to GET ${path} with ${response.status}: not a gateway-sim server, ` +
        'or its control API is off',
    )
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    if (name === 'TimeoutError')
      return notReady(`did not respond within ${formatDuration(Math.ceil(timeout))}`)
    return notReady(`cannot be reached (${cause?.code ?? cause?.message ?? message})`)
  }
}

async function readReadyFile(path: string, shown: string): Promise<string | Status> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return {
      ready: false,
      reason: code === 'ENOENT' ? `${shown}: file not found` : `${shown} cannot be read (${message})`,
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
