/** A sentence of the server: what it sets in backticks is code. */
import type { JSX } from 'preact'

export function Prose({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(/`([^`]+)`/)
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>
}
