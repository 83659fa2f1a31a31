/** Time for checks that passes only while somebody waits. */
import type { Time } from '../../src/check/report.ts'

export function virtualTime(): Time {
  let now = 0
  return {
    now: () => now,
    wait(ms) {
      now += ms
      return Promise.resolve()
    },
  }
}
