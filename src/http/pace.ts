/**
 * The driver of `real` clocks: lets what falls due happen when the wall clock says so. The only timers of a
 * clock.
 */
import type { Clock } from '../engine/clock.ts'

const longest = 2_000_000_000

/** Arms one timer for the earliest scheduled instant. No timer is left when nothing is scheduled any more. */
export function drive(clock: Clock): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let armedFor: number | undefined

  const arm = (shifted: boolean): void => {
    const due = clock.frozen ? undefined : clock.nextDue()
    if (due === armedFor && timer !== undefined && !shifted) return
    clearTimeout(timer)
    timer = undefined
    armedFor = due
    if (due === undefined) return
    timer = setTimeout(fire, Math.min(longest, Math.max(0, Math.ceil((due - clock.now()) / clock.speed))))
  }
  const fire = (): void => {
    timer = undefined
    armedFor = undefined
    clock.run()
    arm(false)
  }
  clock.onSchedule = arm
}
