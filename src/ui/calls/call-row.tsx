/** A request in a list: its row is one link. */
import type { ComponentChildren, JSX } from 'preact'
import type { LiveCall } from '../../generated/control-types.ts'
import { isUnmatched } from '../../journal/failed.ts'
import { linkTo } from '../route.ts'
import { selected } from '../state.ts'
import { endWord } from '../stream-end.ts'

interface CallRowProps {
  readonly call: LiveCall
  /** The view that the link opens. */
  readonly view: 'requests' | 'stream'
  readonly isOpen?: boolean
  /** More cells, before the end of the response. */
  readonly children?: ComponentChildren
}

/** What an unmatched request lacks. */
const missing = ({ operation }: LiveCall): string => (operation === null ? 'unknown path' : 'unmatched')

export function CallRow({ call, view, isOpen = false, children }: CallRowProps): JSX.Element {
  const { method, path, operation, status, session, seq, at, rule, decidedBy, ended, faults } = call
  return (
    <a
      class="row"
      href={linkTo([view, session, String(seq)])}
      aria-current={isOpen ? 'true' : undefined}
      title={`${method} ${path}`}
    >
      <span class="seq">{seq}</span>
      <span class={`code c${String(status)[0]}`}>{status}</span>
      <span class="operation">{operation ?? `${method} ${path}`}</span>
      {selected.value === undefined ? <span class="of">{session}</span> : null}
      <span class="why">
        {isUnmatched(call) ? <em class="bad">{missing(call)}</em> : (rule ?? decidedBy ?? '')}
        {faults.map((fault) => (
          <em key={fault} class="fault">
            {fault}
          </em>
        ))}
      </span>
      {children}
      <span class={`ended ${ended}`}>{ended === 'completed' ? '' : endWord(call)}</span>
      <time>{at.slice(11, 23)}</time>
    </a>
  )
}
