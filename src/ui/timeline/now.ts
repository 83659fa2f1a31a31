/** The virtual time of the session, which passes while a `real` clock runs. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ClockState } from '../../generated/control-types.ts'
import { control, saved } from '../api.ts'
import { acting, clockOfSelected, feedState } from '../state.ts'

interface Reading {
  /** The clock of the feed at the time of the reading. */
  readonly of: ClockState
  readonly time: number
  readonly at: number
}

const tickMs = 1000

/**
 * In milliseconds; undefined if the session has no clock yet. The feed does not send the time of a running
 * clock, which is therefore read from the server, and then counted on until the connection is lost.
 */
export function useNow(): number | undefined {
  const session = acting.value
  const clock = clockOfSelected.value
  const isRunning = isAdvancing(clock) && feedState.value === 'live'
  const reading = useRef<Reading>()
  const last = useRef<{ readonly of: ClockState; readonly time: number }>()
  const [, draw] = useState(0)
  useEffect(() => {
    if (clock === undefined || !isRunning) return
    const at = performance.now()
    let isGone = false
    const tick = (): void => draw((count) => count + 1)
    control<ClockState>(session, 'GET', 'clock').then(
      ({ now }) => {
        if (isGone) return
        reading.current = { of: clock, time: Date.parse(now), at }
        tick()
      },
      () => undefined,
    )
    const timer = setInterval(tick, tickMs)
    return () => {
      isGone = true
      clearInterval(timer)
    }
  }, [session, clock, isRunning])
  if (clock === undefined) return undefined
  if (!isRunning) return last.current?.of === clock ? last.current.time : Date.parse(clock.now)
  const known = reading.current
  const time =
    known?.of === clock ? known.time + (performance.now() - known.at) * clock.speed : Date.parse(clock.now)
  last.current = { of: clock, time }
  return time
}

const isAdvancing = (clock: ClockState | undefined): boolean =>
  saved === undefined && clock?.mode === 'real' && !clock.frozen
