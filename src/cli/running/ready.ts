/** `gateway-sim ready`. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../../engine/duration.ts'
import { isFields, jsonIn } from '../../engine/fields.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { escapeControls } from '../../text/printable.ts'
import { defineCommand, exitCodes, type Io, usageError } from '../command.ts'
import { durationOf, format, simulatorUrl, simulatorUrlOf, text, toggle, value } from '../flags.ts'

type Status =
  | { readonly ready: true; readonly url: string }
  | { readonly ready: false; readonly reason: string }

/** In real milliseconds. */
const retryInterval = 100
const requestTimeout = 2000

export const command = defineCommand({
  examples: [
    ['gateway-sim ready', 'Check once'],
    ['gateway-sim ready --wait --timeout 10s', 'Wait up to ten seconds for the server to start'],
  ],
  flags: {
    wait: toggle('Retry until the server is ready or the timeout expires'),
    'base-url': simulatorUrl,
    'ready-file': text('Read the URL from this file, written by `serve --ready-file`'),
    timeout: value('Maximum wait with --wait', '30s'),
    format,
  },
  async handler({ wait, baseUrl, readyFile, ...args }, io) {
    const timeout = durationOf('--timeout', args.timeout)
    if (timeout !== undefined && !wait) throw usageError('--timeout needs --wait')
    if (baseUrl !== undefined && readyFile !== undefined)
      throw usageError('--base-url and --ready-file are mutually exclusive')
    const whole = timeout ?? 30_000
    const deadline = performance.now() + (wait ? whole : 0)
    for (;;) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()))
      const limit = wait ? Math.min(requestTimeout, left) : requestTimeout
      // Read every time: the server may not have written it yet.
      const server = await serverIn(readyFile, baseUrl, io)
      const status = typeof server === 'string' ? await askServer(server, limit) : server
      if (status.ready || performance.now() + retryInterval >= deadline) {
        if (args.format === 'json') io.stdout.write(`${JSON.stringify(status)}\n`)
        else if (status.ready) io.stdout.write(`gateway-sim is ready at ${status.url}\n`)
        else {
          const after = wait ? ` after ${formatDuration(whole)}` : ''
          io.stderr.write(`gateway-sim: not ready${after}: ${status.reason}\n`)
        }
        return status.ready ? exitCodes.ok : exitCodes.failed
      }
      await sleep(retryInterval)
    }
  },
})

/** The URL of the server, or why it is unknown. */
async function serverIn(
  readyFile: string | undefined,
  baseUrl: string | undefined,
  { env, cwd }: Io,
): Promise<string | Status> {
  if (readyFile === undefined) return simulatorUrlOf(baseUrl, env)
  const written = await readFile(resolve(cwd, readyFile), 'utf8').catch(
    ({ code, message }: NodeJS.ErrnoException): Status => ({
      ready: false,
      reason: `${readyFile}: ${code === 'ENOENT' ? 'file not found' : `cannot be read (${message})`}`,
    }),
  )
  if (typeof written !== 'string') return written
  const fields = jsonIn(written)
  const url = isFields(fields) ? fields['url'] : undefined
  if (typeof url === 'string' && URL.canParse(url)) return url
  return { ready: false, reason: `${readyFile} is not a ready file: expected JSON with a URL in \`url\`` }
}

/** Asks the control API, so that another server on the port does not count. */
async function askServer(url: string, timeout: number): Promise<Status> {
  const path = `${controlPrefix}/ready`
  const notReady = (reason: string): Status => ({ ready: false, reason: `${url} ${reason}` })
  try {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(timeout) })
    const fields: unknown = await response.json().catch(() => undefined)
    const body = isFields(fields) ? fields : {}
    if (response.status === 200 && body['ready'] === true) return { ready: true, url }
    if (String(body['type']).startsWith('urn:gateway-sim:'))
      return notReady(`responded: ${escapeControls(String(body['detail']))}`)
    return notReady(
      `responded to GET ${path} with ${response.status}: not a gateway-sim server, ` +
        'or its control API is off',
    )
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    if (name === 'TimeoutError') return notReady(`did not respond within ${formatDuration(timeout)}`)
    return notReady(`cannot be reached (${cause?.code ?? cause?.message ?? message})`)
  }
}
