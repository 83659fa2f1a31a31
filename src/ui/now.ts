/** The virtual time of the session, which passes while a `real` clock runs. */
import { computed, effect, signal } from '@preact/signals'
import type { ClockState } from '../generated/control-types.ts'
import { saved } from './api.ts'
import { clockOfSelected, feedState } from './state.ts'

const tickMs = 500

/** The real time of the latest tick. The page does not tick while it has no connection. */
const tick = signal(0)

export const isRunning = ({ mode, frozen }: ClockState): boolean =>
  saved === undefined && mode === 'real' && !frozen

effect(() => {
  const clock = clockOfSelected.value
  if (clock === undefined || !isRunning(clock) || feedState.value !== 'live') return undefined
  const update = (): void => {
    tick.value = performance.now()
  }
  update()
  const timer = setInterval(update, tickMs)
  return () => clearInterval(timer)
})

/** In milliseconds; undefined if the session has no clock yet. */
export const now = computed<number | undefined>(() => {
  const clock = clockOfSelected.value
  if (clock === undefined) return undefined
  const passed = isRunning(clock) ? Math.max(0, tick.value - clock.readAt) * clock.speed : 0
  return Date.parse(clock.now) + passed
})

const second = computed(() => Math.floor(tick.value / 1000))

/** The same for views that take long to draw: once per second while the clock runs. */
export const nowBySecond = computed<number | undefined>(() => {
  clockOfSelected.value
  second.value
  return now.peek()
})
