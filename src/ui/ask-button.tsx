/** A button that asks before it acts: its second click acts. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

interface AskButtonProps {
  readonly label: string
  /** Undefined to act at once. */
  readonly question: string | undefined
  readonly title?: string
  /** The label for screen readers, until it asks. */
  readonly name?: string
  onAsk?(isAsking: boolean): void
  act(): void
}

export function AskButton({ label, question, title, name, onAsk, act }: AskButtonProps): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const ask = (next: boolean): void => {
    setAsking(next)
    onAsk?.(next)
  }
  return (
    <button
      type="button"
      title={title}
      aria-label={isAsking ? undefined : name}
      onClick={() => {
        ask(!isAsking && question !== undefined)
        if (isAsking || question === undefined) act()
      }}
      onBlur={() => ask(false)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') ask(false)
      }}
    >
      {isAsking ? question : label}
    </button>
  )
}
