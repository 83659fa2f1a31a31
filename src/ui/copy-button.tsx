/** A button that copies a text, and says that it has. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly label: string
  /** What the button copies, for people who do not see what is beside it. */
  readonly name?: string
  readonly text: () => string
}

export function CopyButton({ label, name, text }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      class="copy"
      aria-label={name}
      onClick={async () => {
        await navigator.clipboard.writeText(text())
        setCopied(true)
        setTimeout(() => setCopied(false), 1500)
      }}
    >
      {copied ? 'Copied' : label}
    </button>
  )
}
