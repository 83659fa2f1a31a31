/**
 * A reply that takes its time, as the body of a web `Response`. What a socket would break, breaks here in the
 * words of undici.
 */
import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { type OnEnd, playReply } from './play-reply.ts'
import type { Playback } from './playback.ts'
import { stayAwake } from './turn.ts'

/**
 * How `fetch` rejects, and how the body of its response errors, when a connection breaks: a `TypeError` whose
 * cause has the
 * `code` that clients and retry libraries look at.
 */
export class BrokenCall extends TypeError {
  constructor(message: 'fetch failed' | 'terminated', reason: Error, how: 'close' | 'reset') {
    super(message, {
      cause: Object.assign(new Error(reason.message), {
        code: how === 'reset' ? 'ECONNRESET' : 'UND_ERR_SOCKET',
      }),
    })
  }
}

/** The stream of a playback. `length` is the content length as it is declared: a client reads no further. */
export function webStream(
  playback: Playback,
  exchange: AnsweredCall,
  length: string | undefined,
  core: SimulatorCore,
  signal: AbortSignal | undefined,
  throughSocket: boolean,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let left = length === undefined || throughSocket ? Infinity : Number(length)
  let ended = false
  let leave: (() => void) | undefined
  let broken: Error | undefined
  // Whoever reads through a copy of the stream (msw makes one) needs a turn to take what was said before.
  const breakOff = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
    void setTimeout(() => controller.error(broken), 0)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (throughSocket) controller.enqueue(new Uint8Array(0))
      const abort = (): void => {
        leave?.()
        if (!ended) controller.error(signal?.reason)
      }
      let isOver = false
      let sleep: (() => void) | undefined
      const onEnd: OnEnd = (how, text) => {
        isOver = true
        sleep?.()
        signal?.removeEventListener('abort', abort)
        exchange.session.world.journal.close(exchange.entry, how, text)
      }
      const end = (): void => {
        if (!ended) controller.close()
        ended = true
      }
      signal?.addEventListener('abort', abort)
      if (left === 0) end()
      leave = playReply(
        playback,
        exchange,
        {
          write(content) {
            if (ended) return
            const bytes = typeof content === 'string' ? encoder.encode(content) : content
            const kept = bytes.length > left ? bytes.subarray(0, left) : bytes
            left -= kept.length
            if (kept.length > 0) controller.enqueue(kept)
            if (left === 0) end()
          },
          end,
          fail(reason, how) {
            if (ended) return
            ended = true
            broken = new BrokenCall('terminated', reason, how)
            // An error drops what was said and is not read yet; then it has to wait until it is.
            if ((controller.desiredSize ?? 0) > 0) breakOff(controller)
          },
        },
        onEnd,
        core.warn,
      )
      // Whoever may end the wait by a signal must find the process running.
      if (!isOver && signal !== undefined) sleep = stayAwake()
    },
    pull(controller) {
      if (broken !== undefined) breakOff(controller)
    },
    cancel() {
      leave?.()
    },
  })
}
