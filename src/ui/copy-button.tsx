/** A button that copies a text, and says so. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly label: string
  /** The accessible name, if the label alone is ambiguous. */
  readonly name?: string
  /** Where the copied text goes. */
  readonly title?: string
  readonly text: () => string
}

export function CopyButton({ label, name, title, text }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      class="copy"
      title={title}
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
