/** Copies of a request that send it again. A saved page has no server to send it to. */
import type { JSX } from 'preact'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { CopyButton } from '../copy-button.tsx'
import { asCurl, asSdkCall, keyOf, ownKey } from './copy-request.ts'
import { isWhole } from './sent-body.ts'

interface RequestCopiesProps {
  readonly entry: JournalEntryJson
  /** The path of the operation. */
  readonly template: string | undefined
}

export function RequestCopies({ entry, template }: RequestCopiesProps): JSX.Element {
  const disabled = !isWhole(entry)
  const key = keyOf(entry, template)
  const note = key === ownKey ? ' that reads your API key from API_KEY: the journal shortens keys' : ''
  return (
    <>
      <CopyButton
        label="curl"
        title={`A command for a shell${note}`}
        disabled={disabled}
        text={() => asCurl(entry, key)}
      />
      <CopyButton
        label="SDK call"
        title={`A module for Node.js${note}`}
        disabled={disabled}
        text={() => asSdkCall(entry, key)}
      />
    </>
  )
}
