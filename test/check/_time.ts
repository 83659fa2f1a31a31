/** Time for checks that passes only while somebody waits. */
import { createWallPacer, type Pacer } from '../../src/run/pacer.ts'
import type { Fetch } from '../../src/run/send.ts'
import { keyRemover, serverTarget, type Target } from '../../src/run/target.ts'

export function virtualTime(): Pacer {
  let now = 0
  return {
    ...createWallPacer(60_000),
    now: () => now,
    sleep(ms) {
      now += ms
      return Promise.resolve()
    },
  }
}

/** A server whose clock passes only while the check waits. */
export function targetOf(base: string, apiKey: string, fetch?: Fetch, pacer = virtualTime()): Target {
  return serverTarget({ base, pacer, hide: keyRemover([apiKey]), ...(fetch && { fetch }) })
}
