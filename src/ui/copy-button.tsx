/** A button that copies a text, and says so. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly label: string
  /** The accessible name, if the label alone is ambiguous. */
  readonly name?: string
  readonly text: () => string
}

export function CopyButton({ label, name, text }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      class="copy"
      aria-label={copied ? undefined : name}
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
