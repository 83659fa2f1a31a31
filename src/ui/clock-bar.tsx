/** The virtual clock of the session: its time, and buttons that advance it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AdvanceRequest } from '../generated/control-types.ts'
import { control, saved } from './api.ts'
import { isRunning, now } from './now.ts'
import { acting, attempt, clockOfSelected, feedState, notice } from './state.ts'
import { durationText } from './timeline/scale.ts'

export async function advance(request: AdvanceRequest): Promise<void> {
  const advanced = await attempt(control(acting.value, 'POST', 'clock/advance', request))
  if (advanced !== undefined) notice.value = undefined
}

/** In whole seconds while the time passes. */
const remaining = (ms: number, passes: boolean): string =>
  durationText(passes ? Math.max(0, Math.ceil(ms / 1000)) * 1000 : ms)

export function ClockBar(): JSX.Element | null {
  const [by, setBy] = useState('10s')
  const clock = clockOfSelected.value
  const time = now.value
  if (clock === undefined || time === undefined) return null
  const { mode, next, speed, pending } = clock
  const passes = isRunning(clock)
  if (saved !== undefined)
    return (
      <span class="clock">
        <Time time={time} passes={false} /> <span class="mode">{mode}</span>
      </span>
    )
  const waiting = `${pending} waiting`
  return (
    <fieldset class="clock" aria-label={`Clock of session ${acting.value}`}>
      <Time time={time} passes={passes} />
      <span class="mode">
        <span class={mode === 'real' ? 'spare' : ''}>{mode}</span>
        {mode === 'real' && speed !== 1 ? ` × ${speed}` : ''}
      </span>
      {mode === 'real' ? (
        <button
          type="button"
          onClick={() => attempt(control(acting.value, 'POST', `clock/${passes ? 'freeze' : 'resume'}`))}
        >
          {passes ? 'Stop' : 'Resume'}
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
        title={
          next === null
            ? 'Nothing is due'
            : `Advance to the next stream event, response or change of a job, at ${next}; ${waiting}`
        }
        onClick={() => advance({ to: 'next' })}
      >
        Next{next === null ? '' : ` (${remaining(Date.parse(next) - time, passes)})`}
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

/** Without milliseconds while it passes. */
function Time({ time, passes }: { readonly time: number; readonly passes: boolean }): JSX.Element {
  const text = new Date(time).toISOString()
  return (
    <time dateTime={text} title={`Virtual time of session ${acting.value}: ${text}`}>
      <span class="spare">{text.slice(0, 10)}</span> {text.slice(11, passes ? 19 : 23)}
    </time>
  )
}
