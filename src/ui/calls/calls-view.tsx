/** The requests, newest first, with filters; one of them can be opened. */
import { computed, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { LiveCall } from '../../generated/control-types.ts'
import { isUnmatched } from '../../journal/failed.ts'
import { FromLater } from '../load-later.tsx'
import { filterBy, go, route } from '../route.ts'
import { calls, evicted } from '../state.ts'
import { VirtualList } from '../virtual-list.tsx'
import { CallRow } from './call-row.tsx'
import { KeepRecording } from './keep-recording.tsx'

/** What the filters of the address let through, newest first. */
const shown = computed<readonly LiveCall[]>(() => {
  const { query } = route.value
  const text = query.get('q')?.toLowerCase() ?? ''
  const status = query.get('status') ?? ''
  const only = query.get('only') ?? ''
  const operation = query.get('operation') ?? ''
  return calls.value
    .filter(
      (call) =>
        (operation === '' || call.operation === operation) &&
        (status === '' || String(call.status)[0] === status[0]) &&
        (only !== 'rejected' || call.rejection !== null) &&
        (only !== 'unmatched' || isUnmatched(call)) &&
        (only !== 'faults' || call.faults.length > 0) &&
        (only !== 'open' || call.ended === 'open') &&
        (text === '' || searchText(call).includes(text)),
    )
    .toReversed()
})

const searchText = ({ method, path, operation, rule, requestId, status, session }: LiveCall): string =>
  `${method} ${path} ${operation} ${rule} ${requestId} ${status} ${session}`.toLowerCase()

const operations = computed<readonly string[]>(() =>
  [...new Set(calls.value.flatMap(({ operation }) => operation ?? []))].sort(),
)

/** Whether the list stays at the newest request. */
const following = signal(true)

export function CallsView(): JSX.Element {
  const [, session, seq] = route.value.parts
  const open = session === undefined || seq === undefined ? undefined : { session, seq: Number(seq) }
  return (
    <div class={open === undefined ? 'calls' : 'calls with-detail'}>
      <section class="list" aria-label="Requests">
        <Filters />
        <List open={open} />
      </section>
      {open === undefined ? null : (
        <FromLater
          render={({ CallDetail }) => <CallDetail key={`${open.session}/${open.seq}`} {...open} />}
        />
      )}
    </div>
  )
}

function Filters(): JSX.Element {
  const { query } = route.value
  const select = (
    name: string,
    label: string,
    options: readonly (readonly [string, string])[],
  ): JSX.Element => (
    <select
      aria-label={label}
      value={query.get(name) ?? ''}
      onChange={({ currentTarget }) => filterBy({ [name]: currentTarget.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
  return (
    <div class="filters">
      <input
        type="search"
        placeholder="Search path, operation, rule, id"
        aria-label="Search"
        value={query.get('q') ?? ''}
        onInput={({ currentTarget }) => filterBy({ q: currentTarget.value })}
      />
      {select('operation', 'Operation', [
        ['', 'All operations'],
        ...operations.value.map((id) => [id, id] as const),
      ])}
      {select('status', 'Status', [
        ['', 'Any status'],
        ['2xx', '2xx'],
        ['4xx', '4xx'],
        ['5xx', '5xx'],
      ])}
      {select('only', 'Kind', [
        ['', 'All requests'],
        ['rejected', 'Rejected'],
        ['unmatched', 'Unmatched'],
        ['faults', 'With faults'],
        ['open', 'Open'],
      ])}
      <label class="follow">
        <input
          type="checkbox"
          checked={following.value}
          onChange={({ currentTarget }) => (following.value = currentTarget.checked)}
        />{' '}
        Follow
      </label>
      <KeepRecording calls={shown.value} />
    </div>
  )
}

interface Open {
  readonly session: string
  readonly seq: number
}

function List({ open }: { readonly open: Open | undefined }): JSX.Element {
  const list = shown.value
  const at = list.findIndex((call) => call.session === open?.session && call.seq === open.seq)
  const move = useRef<(by: number) => void>(() => {})
  move.current = (by) => {
    const next = list[at < 0 ? 0 : Math.max(0, Math.min(list.length - 1, at + by))]
    if (next !== undefined) go(['requests', next.session, String(next.seq)])
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target instanceof Element && event.target.matches('input, textarea, select')) return
      if (event.key === 'ArrowDown' || event.key === 'j') move.current(1)
      else if (event.key === 'ArrowUp' || event.key === 'k') move.current(-1)
      else if (event.key === 'Escape') go(['requests'])
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  if (list.length === 0)
    return (
      <p class="empty">
        {calls.value.length === 0
          ? 'No requests yet. Point a client at this server, and they appear here.'
          : 'No request matches the filters.'}
      </p>
    )
  return (
    <>
      {evicted.value > 0 ? (
        <p class="evicted">{evicted.value} older requests were evicted (setting memory.journalEntries).</p>
      ) : null}
      <VirtualList
        label="List of requests"
        items={list}
        rowHeight={30}
        following={following}
        current={at}
        keyOf={(call) => `${call.session}/${call.seq}`}
        render={(call) => (
          <CallRow
            call={call}
            view="requests"
            isOpen={call.session === open?.session && call.seq === open.seq}
          />
        )}
      />
    </>
  )
}
