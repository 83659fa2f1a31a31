/** Asks before a reset, which deletes requests. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { acting } from './state.ts'

interface ResetQuestionProps {
  /** How many requests the session has received. */
  readonly total: number
  answer(reset: boolean): void
}

export function ResetQuestion({ total, answer }: ResetQuestionProps): JSX.Element {
  const yes = useRef<HTMLButtonElement>(null)
  useEffect(() => yes.current?.focus(), [])
  const requests = total === 1 ? '1 request' : `${total.toLocaleString('en')} requests`
  return (
    <div
      class="reset-question"
      role="alertdialog"
      aria-label={`Reset the session ${acting.value}?`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        answer(false)
      }}
    >
      <p>
        Reset the session <b>{acting.value}</b>? {requests}, jobs, overrides and added scenarios are deleted.
        Breakpoints stay.
      </p>
      <button type="button" ref={yes} onClick={() => answer(true)}>
        Reset
      </button>{' '}
      <button type="button" onClick={() => answer(false)}>
        Cancel
      </button>
    </div>
  )
}
