/** The faults of a response, and what added them: `disconnect, by rule cut`. */
import type { JSX } from 'preact'
import type { JournalEntryJson } from '../../journal/filter.ts'
import { linkTo } from '../route.ts'

export function Source({
  entry: { faults, rule, decidedBy, session },
}: {
  readonly entry: JournalEntryJson
}): JSX.Element {
  const source = rule === null ? decidedBy : `rule ${rule}`
  return (
    <>
      {faults.map((fault, at) => (
        <span key={fault}>
          {at > 0 ? ', ' : ''}
          <a href={linkTo(['requests'], { q: fault, only: 'faults' })}>{fault}</a>
        </span>
      ))}
      {faults.length > 0 && source !== null ? ', by ' : ''}
      {source === null ? null : <a href={linkTo(['rules'], { session })}>{source}</a>}
    </>
  )
}
