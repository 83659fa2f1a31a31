/** The virtual clock of the session: its time, and buttons that advance it. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AdvanceRequest, AdvanceResult, ClockState } from '../generated/control-types.ts'
import { control, saved } from './api.ts'
import { acting, clockOfSelected, feedState, notice } from './state.ts'
import { durationText } from './timeline/scale.ts'

export async function advance(request: AdvanceRequest): Promise<AdvanceResult | undefined> {
  try {
    return await control<AdvanceResult>(acting.value, 'POST', 'clock/advance', request)
  } catch (error) {
    notice.value = (error as Error).message
    return undefined
  }
}

async function change(path: 'freeze' | 'resume', body?: object): Promise<void> {
  try {
    await control(acting.value, 'POST', `clock/${path}`, body)
  } catch (error) {
    notice.value = (error as Error).message
  }
}

export function ClockBar(): JSX.Element | null {
  const [by, setBy] = useState('10s')
  const clock = clockOfSelected.value
  if (clock === undefined) return null
  const { mode, now, next, frozen, speed, pending } = clock
  if (saved !== undefined)
    return (
      <span class="clock">
        <Time clock={{ ...clock, frozen: true }} /> <span class="mode">{mode}</span>
      </span>
    )
  const isRunning = mode === 'real' && !frozen
  const waiting = `${pending} waiting`
  return (
    <fieldset class="clock" aria-label={`Clock of the session ${acting.value}`}>
      <Time clock={clock} />
      <span class="mode">
        <span class={mode === 'real' ? 'spare' : ''}>{mode}</span>
        {mode === 'real' && speed !== 1 ? ` × ${speed}` : ''}
      </span>
      {mode === 'real' ? (
        <button type="button" onClick={() => change(isRunning ? 'freeze' : 'resume')}>
          {isRunning ? 'Stop' : 'Resume'}
        </button>
      ) : null}
      {feedState.value === 'live' ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            // A number without a unit is in seconds.
            void advance({ by: /^[\d.]+$/.test(by) ? `${by}s` : by })
          }}
        >
          <input
            aria-label="Duration to advance by"
            value={by}
            size={5}
            onInput={({ currentTarget }) => setBy(currentTarget.value)}
          />
          <button type="submit">Advance</button>
        </form>
      ) : null}
      <button
        type="button"
        class="next"
        disabled={next === null}
        title={next === null ? 'Nothing is due' : `Due at ${next}, in ${clock.in}; ${waiting}`}
        onClick={() => advance({ to: 'next' })}
      >
        Next{next === null ? '' : ` (${durationText(Date.parse(next) - Date.parse(now))})`}
      </button>
      <button
        type="button"
        disabled={next === null}
        title="Advance until nothing is due"
        onClick={() => advance({ to: 'idle' })}
      >
        Finish
      </button>
      {pending > 0 ? <span class="pending spare">{waiting}</span> : null}
    </fieldset>
  )
}

/** Virtual time; of a running clock it is shown as it passes. */
function Time({ clock: { now, mode, frozen, speed } }: { readonly clock: ClockState }): JSX.Element {
  const isRunning = mode === 'real' && !frozen
  const [shown, setShown] = useState(now)
  useEffect(() => {
    setShown(now)
    if (!isRunning) return
    const began = performance.now()
    const timer = setInterval(() => {
      if (feedState.peek() === 'live')
        setShown(new Date(Date.parse(now) + (performance.now() - began) * speed).toISOString())
    }, 500)
    return () => clearInterval(timer)
  }, [now, isRunning, speed])
  const text = isRunning ? shown : now
  return (
    <time dateTime={text} title={`Virtual time: ${text}`}>
      <span class="spare">{text.slice(0, 10)}</span> {text.slice(11, isRunning ? 19 : 23)}
    </time>
  )
}
