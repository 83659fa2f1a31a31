/** How long a check waits: between polls, and before it sends once more what a busy gateway refused. */
import type { Run } from './run.ts'
import { type ProbeReply, type requestOf, send } from './send-probe.ts'
import type { PlannedProbe } from './suite.ts'

/** The reply that counts, and those of a gateway that was busy before. */
export interface Attempt {
  readonly reply: ProbeReply
  readonly earlier: readonly ProbeReply[]
}

/** No whole reply came. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection'

  constructor(reason: unknown) {
    // The message of `fetch` is "fetch failed"; the reason is its cause.
    const { message, cause } = reason as Error
    super(cause instanceof Error && cause.message !== '' ? cause.message : (message ?? String(reason)))
  }
}

const maxAttempts = 3
/** A gateway that wants a longer pause is not asked again, in milliseconds. */
const maxPause = 60_000
/** The longest time for one reply, in milliseconds: pictures take longer than words. */
const replyTimeout = { none: 60_000, little: 60_000, all: 300_000 }

/** Sends a request, and again where the gateway is busy. Rejects with `BrokenConnection`. */
export async function attempt(
  wire: ReturnType<typeof requestOf>,
  { probe }: PlannedProbe,
  { fetch, time, hasBeenAnswered }: Pick<Run, 'fetch' | 'time' | 'hasBeenAnswered'>,
): Promise<Attempt> {
  const earlier: ProbeReply[] = []
  // What failed half-way may have been submitted all the same (contract 7).
  const again =
    probe.endpoint.submits !== undefined
      ? [429]
      : typeof probe.expect?.status === 'string'
        ? [429, 502, 503, 504, 529]
        : [429, 500, 502, 503, 504, 529]
  // Before anybody has answered, nobody may be there.
  let patience = hasBeenAnswered && probe.endpoint.submits === undefined ? maxAttempts - 1 : 0
  for (;;) {
    const timed = { ...wire, init: { ...wire.init, signal: AbortSignal.timeout(replyTimeout[probe.spend]) } }
    const reply = await send(timed, fetch, time).catch(async (error: unknown) => {
      // Who was silent for so long would be so again.
      if (patience === 0 || (error as Error).name === 'TimeoutError') throw new BrokenConnection(error)
      patience -= 1
      await time.wait(1000)
      return undefined
    })
    if (reply === undefined) continue
    const pause = retryAfterOf(reply, Infinity) ?? 1000 * 2 ** earlier.length
    if (!again.includes(reply.status) || earlier.length + 1 >= maxAttempts || pause > maxPause)
      return { reply, earlier }
    earlier.push(reply)
    await time.wait(pause)
  }
}

/** The pause that a reply asks for in seconds, at most `longest`; dates are not read. */
export function retryAfterOf({ headers }: ProbeReply, longest: number): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, longest) : undefined
}

/** The pause before the next poll: short at first, then five seconds. */
export function pollInterval(waited: number): number {
  return waited < 5000 ? 1000 : waited < 30_000 ? 2500 : 5000
}
