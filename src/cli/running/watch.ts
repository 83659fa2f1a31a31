/** Runs `gateway-sim watch`: follows `GET /__sim/events`, and prints the requests that arrive. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../engine/fields.ts'
import type { LiveCall } from '../../generated/control-types.ts'
import { asciiOnly } from '../../text/printable.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import type { WatchArgs } from '../flags.ts'
import { painterFor } from '../painter.ts'
import { callLine, hasFailed, reasonOf } from './call-lines.ts'
import { clientOf, type Target, targetOf } from './control.ts'
import { createNews, type Feed, openFeed } from './read-events.ts'

/** In real milliseconds. */
const retryInterval = 1000

/**
 * Follows until the process is asked to stop or nobody reads its output, also over restarts of the server.
 * Throws `CommandError` if the server stays away for longer than `--timeout`.
 */
export async function watchRequests(args: WatchArgs, io: Io): Promise<ExitCode> {
  const { stderr } = io
  const target = targetOf(args, io.env)
  const leave = new AbortController()
  const { signal } = leave
  void io.whenStopped('needs a reader').then(() => leave.abort())
  const print = printerOf(args, target, io)
  const isNews = createNews()
  let feed: Feed | undefined
  let deadline = 0
  while (!signal.aborted) {
    let connected = false
    try {
      const isFirst = feed === undefined
      feed = await openFeed(target, args.session, feed?.lastId, signal)
      stderr.write(`gateway-sim: ${isFirst ? 'watching' : 'connected again:'} ${target.url}\n`)
      connected = true
      for await (const call of feed.calls) if (isNews(call)) await print(call)
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof CommandError) throw error
      if (feed === undefined || (!connected && performance.now() > deadline))
        throw new CommandError(exitCodes.failed, (error as Error).message)
    }
    if (connected && !signal.aborted) {
      deadline = performance.now() + target.timeout
      stderr.write('gateway-sim: the connection was lost; connecting again\n')
    }
    await sleep(retryInterval, undefined, { signal }).catch(() => {})
  }
  return exitCodes.ok
}

function printerOf(
  { failed, operation, format }: WatchArgs,
  target: Target,
  { stdout, env }: Io,
): (call: LiveCall) => Promise<void> {
  const paint = painterFor(stdout, env)
  return async (call) => {
    if (failed && !hasFailed(call)) return
    if (operation.length > 0 && !operation.some((wanted) => isOperation(call.operation, wanted))) return
    // Without the reason if the session has ended meanwhile.
    const reason = await reasonOf(call, clientOf(target, call.session)).catch(() => undefined)
    if (format === 'json') {
      stdout.write(`${JSON.stringify({ ...call, ...defined({ reason }) })}\n`)
      return
    }
    const second = reason === undefined ? '' : `  ${paint('dim', asciiOnly(reason))}\n`
    stdout.write(`${callLine(call, paint)}\n${second}`)
  }
}

function isOperation(operation: string | undefined, wanted: string): boolean {
  return wanted.endsWith('*') ? operation?.startsWith(wanted.slice(0, -1)) === true : operation === wanted
}
