/** A request in a list: its row is one link. */

import type { ComponentChildren, JSX } from 'preact'
import { statusOf } from '../../exchange/exchange.ts'
import { isUnmatched } from '../../exchange/failed.ts'
import type { LiveCall } from '../../generated/control-types.ts'
import { linkTo } from '../route.ts'
import { selected, sessions, toDetail } from '../state.ts'
import { endHint, endLook } from '../stream-end.ts'
import { endOf, reasonOf } from './search.ts'

interface CallRowProps {
  readonly call: LiveCall
  /** The view that the link opens. */
  readonly view: 'requests' | 'stream'
  readonly isOpen?: boolean
  /** More cells, before the end of the response. */
  readonly children?: ComponentChildren
}

export function CallRow({ call, view, isOpen = false, children }: CallRowProps): JSX.Element {
  const { operation, session, seq, at, about, request, cause } = call
  const status = statusOf(call)
  const reason = reasonOf(call)
  const look = endLook(call)
  return (
    <a
      class="row"
      href={linkTo([view, session, String(seq)])}
      aria-current={isOpen ? 'true' : undefined}
      title={`${request.method} ${request.url}`}
      onClick={({ detail }) => {
        // A click of the Enter key moves the focus, too.
        if (detail === 0 && view === 'requests') toDetail.value = true
      }}
    >
      <span class="seq">{seq}</span>
      <span class={`code c${String(status)[0]}`}>{status}</span>
      <span class="operation">{operation ?? `${request.method} ${request.url}`}</span>
      {selected.value === undefined && sessions.value.length > 1 ? <span class="of">{session}</span> : null}
      <span class="more">
        <span class="about">{about}</span>
        {reason === '' && cause.faults.length === 0 ? null : (
          <span class={isUnmatched(call) ? 'why bad' : 'why'}>
            {reason}
            {cause.faults.map((fault) => (
              <em key={fault} class="fault">
                {fault}
              </em>
            ))}
          </span>
        )}
      </span>
      {children}
      {look === 'completed' ? null : (
        <span class={`ended ${look}`} title={endHint(call)}>
          {endOf(call)}
        </span>
      )}
      <time>{at.slice(11, 23)}</time>
    </a>
  )
}
