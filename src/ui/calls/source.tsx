/** The faults of a response, and what added them: `disconnect, by rule cut`. */
import type { JSX } from 'preact'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { decisionText } from '../../protocol/plan.ts'
import { linkTo } from '../route.ts'

export function Source({ entry: { session, cause } }: { readonly entry: JournalEntryJson }): JSX.Element {
  const { rule, decidedBy } = cause
  const other = decidedBy === undefined ? undefined : decisionText(decidedBy)
  const source = rule === undefined ? other : `rule ${rule}`
  return (
    <>
      {cause.faults.map((fault, at) => (
        <span key={fault}>
          {at > 0 ? ', ' : ''}
          <a href={linkTo(['requests'], { q: fault, only: 'faults' })}>{fault}</a>
        </span>
      ))}
      {cause.faults.length > 0 && source !== undefined ? ', by ' : ''}
      {source === undefined ? null : <a href={linkTo(['rules'], { session })}>{source}</a>}
    </>
  )
}
