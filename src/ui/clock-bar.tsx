/** The virtual clock of the session: its time, and buttons that advance it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AdvanceRequest } from '../generated/control-types.ts'
import { control, saved } from './api.ts'
import { acting, attempt, clockOfSelected, isRunning, now } from './state.ts'
import { durationText } from './timeline/scale.ts'

const advance = (request: AdvanceRequest): void =>
  void attempt(control(acting.value, 'POST', 'clock/advance', request))

export function ClockBar(): JSX.Element | null {
  const [by, setBy] = useState('10s')
  const clock = clockOfSelected.value
  const time = now.value
  if (clock === undefined || time === undefined) return null
  const { mode, next, speed, pending } = clock
  const passes = isRunning(clock)
  const text = new Date(time).toISOString()
  const reading = (
    <>
      <time dateTime={text} title={`Virtual time of session ${acting.value}: ${text}`}>
        {text.slice(11, passes ? 19 : 23)}
      </time>
      <span class="soft">
        {mode}
        {mode === 'real' && speed !== 1 ? ` × ${speed}` : ''}
      </span>
    </>
  )
  if (saved !== undefined) return <span class="line clock">{reading}</span>
  return (
    <form
      class="line clock"
      aria-label={`Clock of session ${acting.value}`}
      onSubmit={(event) => {
        event.preventDefault()
        // A number without a unit is in seconds.
        advance({ by: /^[\d.]+$/.test(by) ? `${by}s` : by })
      }}
    >
      {reading}
      {mode === 'real' ? (
        <button
          type="button"
          onClick={() => attempt(control(acting.value, 'POST', `clock/${passes ? 'freeze' : 'resume'}`))}
        >
          {passes ? 'Stop' : 'Resume'}
        </button>
      ) : null}
      <input
        aria-label="Duration to advance by"
        value={by}
        size={5}
        onInput={({ currentTarget }) => setBy(currentTarget.value)}
      />
      <button type="submit">Advance</button>
      <button
        type="button"
        disabled={next === null}
        title={next === null ? 'Nothing is due' : `Advance to ${next}; ${pending} waiting`}
        onClick={() => advance({ to: 'next' })}
      >
        Next{next === null ? '' : ` (${durationText(Math.max(0, Date.parse(next) - time))})`}
      </button>
      <button
        type="button"
        disabled={next === null}
        title="Advance until nothing is due"
        onClick={() => advance({ to: 'idle' })}
      >
        Finish
      </button>
    </form>
  )
}
