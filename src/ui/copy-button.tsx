/** A button that copies a text, and says so. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly label: string
  /** The accessible name, if the label alone is ambiguous. */
  readonly name?: string
  /** What the copied text is for. */
  readonly title?: string
  readonly disabled?: boolean
  readonly text: () => string | undefined | Promise<string | undefined>
}

export function CopyButton({ label, name, title, disabled = false, text }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      class="copy"
      title={title}
      disabled={disabled}
      aria-label={copied ? undefined : name}
      onClick={async () => {
        const copy = await text()
        if (copy === undefined) return
        await navigator.clipboard.writeText(copy)
        setCopied(true)
        setTimeout(() => setCopied(false), 1500)
      }}
    >
      {copied ? 'Copied' : label}
    </button>
  )
}
