/** `gateway-sim ready`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../../engine/duration.ts'
import { isFields } from '../../engine/fields.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { escapeControls } from '../../text/printable.ts'
import { defineCommand, exitCodes, usageError } from '../command.ts'
import { durationOf, format, simulatorUrl, simulatorUrlOf, toggle, value } from '../flags.ts'

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
    timeout: value('Maximum wait with --wait', '30s'),
    format,
  },
  async handler({ wait, baseUrl, ...args }, io) {
    const timeout = durationOf('--timeout', args.timeout)
    if (timeout !== undefined && !wait) throw usageError('--timeout needs --wait')
    const url = simulatorUrlOf(baseUrl, io.env)
    const whole = timeout ?? 30_000
    const deadline = performance.now() + (wait ? whole : 0)
    for (;;) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()))
      const limit = wait ? Math.min(requestTimeout, left) : requestTimeout
      const status = await askServer(url, limit)
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
