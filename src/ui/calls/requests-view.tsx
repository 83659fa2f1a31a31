/** The requests, newest first, with filters; one of them can be opened. */
import { computed, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { isStream, statusOf } from '../../exchange/exchange.ts'
import { isUnmatched } from '../../exchange/failed.ts'
import type { LiveCall } from '../../generated/control-types.ts'
import { decisionText } from '../../protocol/plan.ts'
import { counted } from '../../text/printable.ts'
import { saved } from '../api.ts'
import { filterBy, linkTo, route } from '../route.ts'
import { acting, calls, older, selected, sessions } from '../state.ts'
import { HarButton } from './har-button.tsx'
import { RequestDetail } from './request-detail.tsx'
import { endHint, endLook, endWord } from './stream-end.ts'

/** How many requests are in the document at first, and how many a click adds. */
const pageSize = 200
const shownCount = signal(pageSize)

const kinds: Readonly<Record<string, { readonly title: string; has(call: LiveCall): boolean }>> = {
  rejected: { title: 'Rejected', has: ({ cause }) => cause.rejection !== undefined },
  unmatched: { title: 'Unmatched', has: isUnmatched },
  faults: { title: 'With faults', has: ({ cause }) => cause.faults.length > 0 },
  streams: { title: 'Streams', has: isStream },
  open: { title: 'Open', has: ({ ended }) => ended === 'open' },
}

/** What the filters of the address let through, newest first. */
const matching = computed<readonly LiveCall[]>(() => {
  const { query } = route.value
  const text = query.get('q')?.trim().toLowerCase() ?? ''
  const kind = kinds[query.get('only') ?? '']
  return calls.value
    .filter((call) => (kind?.has(call) ?? true) && (text === '' || searchText(call).includes(text)))
    .toReversed()
})

/** What the search looks through: what a row shows, and ids. */
function searchText(call: LiveCall): string {
  const { seq, operation, session, about, request, cause } = call
  const facts = [`#${seq}`, statusOf(call), request.method, request.url, operation, session, about]
  return [...facts, reasonOf(call), ...cause.faults, endWord(call), cause.requestId].join(' ').toLowerCase()
}

/** Why a request got its response: the rule, or what else decided it. */
function reasonOf(call: LiveCall): string {
  const { rule, decidedBy } = call.cause
  if (isUnmatched(call)) return call.operation === undefined ? 'unknown path' : 'unmatched'
  return rule ?? (decidedBy === undefined ? '' : decisionText(decidedBy))
}

export function RequestsView(): JSX.Element {
  const [, session, seq] = route.value.parts
  const open = session === undefined || seq === undefined ? undefined : { session, seq: Number(seq) }
  return (
    <div class={open === undefined ? 'requests' : 'requests with-detail'}>
      <section class="list" aria-label="Requests" onKeyDown={moveByArrow}>
        <Filters />
        <List />
      </section>
      {open === undefined ? null : <RequestDetail key={`${open.session}/${open.seq}`} {...open} />}
    </div>
  )
}

/** Opens the request above or below the one that has the focus. */
function moveByArrow(event: JSX.TargetedKeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.target instanceof HTMLSelectElement) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.row')]
  const next = rows[rows.indexOf(document.activeElement as HTMLElement) + step]
  next?.focus()
  next?.click()
  event.preventDefault()
}

function Filters(): JSX.Element {
  const { query } = route.value
  const [count, all] = [matching.value.length, calls.value.length]
  return (
    <div class="line filters">
      <input
        type="search"
        placeholder="Search prompt, path, rule, id, #number"
        aria-label="Search"
        value={query.get('q') ?? ''}
        onInput={({ currentTarget }) => filterBy({ q: currentTarget.value })}
      />
      <select
        aria-label="Kind"
        value={query.get('only') ?? ''}
        onChange={({ currentTarget }) => filterBy({ only: currentTarget.value })}
      >
        <option value="">All requests</option>
        {Object.entries(kinds).map(([id, { title }]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      {count === all ? null : (
        <span role="status">
          {count} of {all}
        </span>
      )}
      {saved === undefined ? <HarButton session={acting.value} /> : null}
    </div>
  )
}

function List(): JSX.Element {
  const list = matching.value
  if (list.length === 0)
    return (
      <p class="empty">
        {calls.value.length === 0
          ? 'No requests yet. Point a client at this server, and they appear here.'
          : 'No request matches the filters.'}
      </p>
    )
  const hidden = list.length - shownCount.value
  return (
    <div class="rows">
      {list.slice(0, shownCount.value).map((call) => (
        <Row key={`${call.session}/${call.seq}`} call={call} />
      ))}
      {hidden > 0 ? (
        <button type="button" onClick={() => (shownCount.value += pageSize)}>
          Show older ({hidden})
        </button>
      ) : null}
      {older.value > 0 ? (
        <p class="empty">
          {counted(older.value, 'older request')} not shown: the page starts with the latest.
        </p>
      ) : null}
    </div>
  )
}

function Row({ call }: { readonly call: LiveCall }): JSX.Element {
  const { operation, session, seq, at, about, request, cause } = call
  const [, openSession, openSeq] = route.value.parts
  const status = statusOf(call)
  const end = endWord(call)
  return (
    <a
      class="row"
      href={linkTo(['requests', session, String(seq)])}
      aria-current={session === openSession && String(seq) === openSeq ? 'true' : undefined}
      title={`${request.method} ${request.url}`}
    >
      <span class="soft seq">{seq}</span>
      <span class={`code c${String(status)[0]}`}>{status}</span>
      <strong>{operation ?? `${request.method} ${request.url}`}</strong>
      {selected.value === undefined && sessions.value.length > 1 ? <span class="soft">{session}</span> : null}
      <span class="soft about">{about}</span>
      <span class={isUnmatched(call) ? 'why bad' : 'why soft'}>{reasonOf(call)}</span>
      {cause.faults.map((fault) => (
        <em key={fault} class="warn">
          {fault}
        </em>
      ))}
      {end === 'completed' ? null : (
        <span class={`ended ${endLook(call)}`} title={endHint(call)}>
          {end}
        </span>
      )}
      <time>{at.slice(11, 23)}</time>
    </a>
  )
}
