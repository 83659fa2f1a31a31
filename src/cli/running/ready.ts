/** `gateway-sim ready`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../../engine/duration.ts'
import { isFields } from '../../engine/fields.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { defineCommand, exitCodes, usageError } from '../command.ts'
import { durationOf, simulatorUrl, simulatorUrlOf, toggle, value } from '../flags.ts'

/** In real milliseconds. */
const retryInterval = 100
const requestTimeout = 2000
const defaultWait = 30_000

export const command = defineCommand({
  examples: [
    ['gateway-sim ready', 'Check once'],
    ['gateway-sim ready --wait --timeout 10s', 'Wait up to ten seconds for the server to start'],
  ],
  flags: {
    wait: toggle('Retry until the server is ready or the timeout expires'),
    'base-url': simulatorUrl,
    timeout: value('Maximum wait with --wait', '30s'),
  },
  async handler({ wait, baseUrl, ...args }, io) {
    const timeout = durationOf('--timeout', args.timeout)
    if (timeout !== undefined && !wait) throw usageError('--timeout needs --wait')
    const url = simulatorUrlOf(baseUrl, io.env)
    const limit = Math.min(requestTimeout, timeout ?? requestTimeout)
    const deadline = performance.now() + (wait ? (timeout ?? defaultWait) : 0)
    let problem = await problemOf(url, limit)
    while (problem !== undefined && performance.now() + retryInterval < deadline) {
      await sleep(retryInterval)
      problem = await problemOf(url, limit)
    }
    if (problem === undefined) {
      io.stdout.write(`gateway-sim is ready at ${url}\n`)
      return exitCodes.ok
    }
    const after = wait ? ` after ${formatDuration(timeout ?? defaultWait)}` : ''
    io.stderr.write(`gateway-sim: not ready${after}: ${url} ${problem}\n`)
    return exitCodes.failed
  },
})

/** Why a server is not ready. Asks the control API, so that another server on the port does not count. */
async function problemOf(url: string, limit: number): Promise<string | undefined> {
  const path = `${controlPrefix}/ready`
  try {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(limit) })
    const body: unknown = await response.json().catch(() => undefined)
    if (response.status === 200 && isFields(body) && body['ready'] === true) return undefined
    return (
      `responded to GET ${path} with ${response.status}: not a gateway-sim server, ` +
      'or its control API is off'
    )
  } catch (error) {
    const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    if (name === 'TimeoutError') return `did not respond within ${formatDuration(limit)}`
    return `cannot be reached (${cause?.code ?? cause?.message ?? message})`
  }
}
