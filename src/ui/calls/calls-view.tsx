/** The requests, newest first, with filters; one of them can be opened. */
import { computed, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isUnmatched } from '../../exchange/failed.ts'
import type { LiveCall } from '../../generated/control-types.ts'
import { FromLater } from '../load-later.tsx'
import { filterBy, go, route } from '../route.ts'
import { calls, evicted, toDetail } from '../state.ts'
import { VirtualList } from '../virtual-list.tsx'
import { CallRow } from './call-row.tsx'
import { KeepRecording } from './keep-recording.tsx'
import { focusList, placeAfter } from './list-keys.ts'
import { matchesText } from './search.ts'

/** What the filters of the address let through, newest first. */
const shown = computed<readonly LiveCall[]>(() => {
  const { query } = route.value
  const text = query.get('q')?.trim().toLowerCase() ?? ''
  const status = query.get('status') ?? ''
  const only = query.get('only') ?? ''
  const operation = query.get('operation') ?? ''
  return calls.value
    .filter(
      (call) =>
        (operation === '' || call.operation === operation) &&
        (status === '' || String(call.response?.status)[0] === status[0]) &&
        (only !== 'rejected' || call.cause.rejection !== undefined) &&
        (only !== 'unmatched' || isUnmatched(call)) &&
        (only !== 'faults' || call.cause.faults.length > 0) &&
        (only !== 'open' || call.ended === 'open') &&
        (text === '' || matchesText(call, text)),
    )
    .toReversed()
})

const operations = computed<readonly string[]>(() =>
  [...new Set(calls.value.flatMap(({ operation }) => operation ?? []))].sort(),
)

const numberText = (count: number): string => count.toLocaleString('en')

/** Rows have two lines on a phone. As in page.css. */
const phone = matchMedia('(max-width: 760px)')
const isPhone = signal(phone.matches)
phone.addEventListener('change', ({ matches }) => (isPhone.value = matches))

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
        placeholder="Search prompt, path, rule, id, number"
        aria-label="Search"
        value={query.get('q') ?? ''}
        onInput={({ currentTarget }) => filterBy({ q: currentTarget.value })}
        onKeyDown={(event) => {
          const { key, currentTarget } = event
          if (key !== 'Escape' && key !== 'ArrowDown') return
          currentTarget.blur()
          focusList()
          if (key === 'ArrowDown') return
          filterBy({ q: '' })
          event.stopPropagation()
        }}
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
      {shown.value.length === calls.value.length ? null : (
        <>
          <span role="status">
            {numberText(shown.value.length)} of {numberText(calls.value.length)}
          </span>
          {shown.value.length === 0 ? null : <ClearFilters />}
        </>
      )}
      <label
        class="follow"
        title="Stay at the newest request. Scrolling down ends this; scrolling to the top starts it again."
      >
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

/** The selected session stays. */
function ClearFilters(): JSX.Element {
  return (
    <button type="button" onClick={() => filterBy({ q: '', operation: '', status: '', only: '' })}>
      Clear filters
    </button>
  )
}

interface Open {
  readonly session: string
  readonly seq: number
}

function List({ open }: { readonly open: Open | undefined }): JSX.Element {
  const list = shown.value
  const at = list.findIndex((call) => call.session === open?.session && call.seq === open.seq)
  const onKey = useRef<(event: KeyboardEvent) => void>(() => {})
  onKey.current = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key } = event
    const isIn = (places: string): boolean => document.activeElement?.closest(places) != null
    if (isIn('input:not([type=checkbox]), textarea, select')) return
    // In the open request, keys with names scroll.
    const next = isIn('.detail') && key.length > 1 ? undefined : placeAfter(key, at, list.length)
    const call = next === undefined ? undefined : list[next]
    if (call !== undefined) go(['requests', call.session, String(call.seq)])
    else if (key === 'Escape') go(['requests'])
    else if (key === 'Enter' && at >= 0 && !isIn('a, button, .detail')) toDetail.value = true
    else return
    if (key !== 'Enter') focusList()
    event.preventDefault()
  }
  // An effect after the first paint would miss a key that is pressed at once.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey.current(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  if (list.length === 0)
    return (
      <p class="empty">
        {calls.value.length === 0
          ? 'No requests yet. Point a client at this server, and they appear here.'
          : 'No request matches the filters. '}
        {calls.value.length === 0 ? null : <ClearFilters />}
      </p>
    )
  return (
    <>
      {evicted.value > 0 ? (
        <p class="evicted">{evicted.value} older requests were evicted (setting memory.items).</p>
      ) : null}
      <VirtualList
        label="List of requests"
        items={list}
        rowHeight={isPhone.value ? 48 : 30}
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
