/** Copies of a request that send it again. A saved page has no server to send it to. */
import type { JSX } from 'preact'
import type { JournalEntryJson } from '../../journal/filter.ts'
import { CopyButton } from '../copy-button.tsx'
import { asCurl, asSdkCall } from './copy-request.ts'
import { isWhole } from './sent-body.ts'

export function RequestCopies({ entry }: { readonly entry: JournalEntryJson }): JSX.Element {
  const disabled = !isWhole(entry)
  return (
    <>
      <CopyButton label="curl" title="A command for a shell" disabled={disabled} text={() => asCurl(entry)} />
      <CopyButton
        label="SDK call"
        title="A module for Node.js"
        disabled={disabled}
        text={() => asSdkCall(entry)}
      />
    </>
  )
}
