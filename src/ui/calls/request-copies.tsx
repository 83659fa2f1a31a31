/** Copies of a request that send it again. A saved page has no server to send it to. */
import type { JSX } from 'preact'
import type { JournalEntryJson } from '../../journal/filter.ts'
import { CopyButton } from '../copy-button.tsx'
import { asCurl, asSdkCall } from './copy-request.ts'

export function RequestCopies({ entry }: { readonly entry: JournalEntryJson }): JSX.Element {
  return (
    <>
      <CopyButton label="curl" title="A command for a shell" text={() => asCurl(entry)} />
      <CopyButton label="SDK call" title="A module for Node.js" text={() => asSdkCall(entry)} />
    </>
  )
}
