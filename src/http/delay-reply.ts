/**
 * Holds a reply back before its first byte: for a delay on the session's clock, or for a fault that never
 * answers or resets the connection. Meanwhile the call does not count as in flight.
 */
import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import type { Hold } from './playback.ts'
import { waitsOnClock, watchClock } from './stalled-clock.ts'

/** What a held reply does next. */
export interface HeldReply {
  /** The delay is over: send it, and call `firstByteSent` when its first byte leaves. */
  release(firstByteSent: () => void): void
  /** There will be no reply: the connection breaks. */
  breakOff(reason: Error): void
}

/** Holds a reply back. Returns a function to call when the client leaves before it is sent. */
export function holdReply(
  { delay, then }: Hold,
  { session, entry, startedAt }: AnsweredCall,
  core: Pick<SimulatorCore, 'callStarted' | 'warn'>,
  held: HeldReply,
): () => void {
  const { clock, journal } = session.world
  let over = false
  let cancel: (() => void) | undefined
  let watch: (() => void) | undefined

  const finish = (): boolean => {
    if (over) return false
    over = true
    cancel?.()
    watch?.()
    session.open.delete(stop)
    return true
  }
  const stop = (reason: Error): void => {
    if (!finish()) return
    journal.close(entry, 'cut', undefined)
    held.breakOff(reason)
  }
  const patience = (message: string): void => {
    watch?.()
    if (clock.mode === 'manual' || clock.frozen) watch = watchClock(() => clock.now(), core.warn, message)
  }
  const act = (): void => {
    if (then === 'hang')
      return patience(
        `a client of ${entry.path} waits for a reply that a fault (hang) never sends: give the client a ` +
          'timeout, or end the call (sim.reset, POST /__sim/reset)',
      )
    if (then === 'reset') return stop(new Error('the connection was reset by a fault'))
    if (finish()) held.release(core.callStarted({ session: session.world.name }))
  }

  session.open.add(stop)
  const due = startedAt + delay
  if (clock.mode === 'auto' || due <= clock.now()) {
    act()
  } else {
    cancel = clock.at(due, act)
    patience(waitsOnClock(entry.path))
  }
  return () => {
    if (finish()) journal.close(entry, 'aborted', undefined)
  }
}
