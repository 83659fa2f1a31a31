/** One stream event by event: its gaps, the text as it grows, and the raw bytes. */

import { signal } from '@preact/signals'
import { Fragment, type JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isStream } from '../exchange/exchange.ts'
import type { JournalEntryJson } from '../exchange/plain.ts'
import type { LiveCall } from '../generated/control-types.ts'
import { counted } from '../text/printable.ts'
import { fetchEntry, type Place } from './api.ts'
import { CallRow } from './calls/call-row.tsx'
import { focusList, placeAfter } from './calls/list-keys.ts'
import { Source } from './calls/source.tsx'
import { inOrder } from './in-order.ts'
import { go, linkTo, route } from './route.ts'
import { callOf, calls } from './state.ts'
import { endHint, endLook, endText, endWord } from './stream-end.ts'
import { durationText } from './timeline/scale.ts'
import { VirtualList } from './virtual-list.tsx'

export function StreamView(): JSX.Element {
  const [, session, seq] = route.value.parts
  return session === undefined || seq === undefined ? (
    <StreamList />
  ) : (
    <OneStream key={`${session}/${seq}`} session={session} seq={Number(seq)} />
  )
}

type StreamEvent = NonNullable<JournalEntryJson['cause']['coming']>[number]

/** Whether the list stays at the newest stream. */
const following = signal(true)

const keyOf = ({ session, seq }: Place): string => `${session}/${seq}`

/** The stream that Enter opens: the one that was open last, or that an arrow has reached. */
const marked = signal('')

function useKeys(onKey: (key: string) => boolean): void {
  const current = useRef(onKey)
  current.current = onKey
  // An effect after the first paint would miss a key that is pressed at once.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey } = event
      const isTyping = target instanceof Element && target.matches('input, textarea, select')
      if (!isTyping && !ctrlKey && !metaKey && !altKey && current.current(key)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

function StreamList(): JSX.Element {
  const streams = calls.value.filter(isStream).toReversed()
  const at = streams.findIndex((call) => keyOf(call) === marked.value)
  useKeys((key) => {
    const next = streams[placeAfter(key, at, streams.length) ?? -1]
    const open = streams[at]
    if (next !== undefined) marked.value = keyOf(next)
    else if (key !== 'Enter' || open === undefined || document.activeElement?.closest('a, button'))
      return false
    else go(['stream', open.session, String(open.seq)])
    return true
  })
  useEffect(() => {
    if (document.activeElement === document.body) focusList()
  }, [])
  if (streams.length === 0) return <p class="empty">No streamed responses yet.</p>
  return (
    <section class="list streams" aria-label="Streams">
      <VirtualList<LiveCall>
        label="List of streams"
        items={streams}
        rowHeight={30}
        following={following}
        current={at}
        keyOf={keyOf}
        render={(call) => (
          <CallRow call={call} view="stream" isOpen={keyOf(call) === marked.value}>
            <span>{counted(call.response?.eventCount ?? 0, 'event')}</span>
          </CallRow>
        )}
      />
    </section>
  )
}

function OneStream({ session, seq }: Place): JSX.Element {
  /** Null if the journal has none. */
  const [entry, setEntry] = useState<JournalEntryJson | null>()
  const [until, setUntil] = useState<number>()
  const [entries] = useState(inOrder)
  useEffect(() => {
    marked.value = keyOf({ session, seq })
  }, [])
  useKeys((key) => {
    if (key === 'Escape') go(['stream'])
    return key === 'Escape'
  })
  const live = callOf(session, seq)
  const change = `${live?.ended} ${live?.response?.eventCount}`
  useEffect(() => {
    entries(fetchEntry({ session, seq }), (found) => setEntry(found ?? null)).catch(() => setEntry(null))
  }, [session, seq, change])
  if (entry === undefined) return <p class="empty">Loading the stream…</p>
  if (entry === null) return <p class="empty">The journal does not contain this request.</p>
  const { operation, response, cause } = entry
  const sent = response?.eventCount ?? 0
  const stream = [...(response?.events ?? []), ...(cause.coming ?? [])]
  const at = Math.min(until ?? sent, stream.length)
  const text = stream
    .slice(0, at)
    .map(({ data }) => textIn(data))
    .join('')
  return (
    <div class="stream">
      <header class="stream-head">
        <h1>
          {operation} <a href={linkTo(['requests', session, String(seq)])}>#{seq}</a>
        </h1>
        <p>
          <em class={`ended ${endLook(entry)}`} title={endHint(entry)}>
            {endText(entry)}
          </em>
          <br />
          <Source entry={entry} />
        </p>
        <label>
          Events shown: {at}
          <input
            type="range"
            min={0}
            max={stream.length}
            value={at}
            onInput={({ currentTarget }) => setUntil(Number(currentTarget.value))}
          />
        </label>
        <h2>Text so far</h2>
        <pre class="text">{text}</pre>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="events-scroll" tabIndex={0} aria-label="Events">
        <ol class="events">
          {stream.slice(0, 2000).map((one, index) => (
            <Fragment key={index}>
              {index === sent ? (
                <li class="divider">{endWord(entry) === 'open' ? 'Not sent yet' : 'Never sent'}</li>
              ) : null}
              <Event event={one} before={stream[index - 1]} look={lookOf(index, sent, at)} />
            </Fragment>
          ))}
        </ol>
      </section>
    </div>
  )
}

/** Whether an event is still to come, and on which side of the slider it is. */
function lookOf(index: number, sent: number, at: number): string {
  if (index >= sent) return 'coming'
  return index < at ? 'seen' : 'later'
}

function Event({
  event: { at, event, data },
  before,
  look,
}: {
  readonly event: StreamEvent
  readonly before: StreamEvent | undefined
  readonly look: string
}): JSX.Element {
  const gap = at - (before?.at ?? 0)
  const name = event === undefined ? '' : `event: ${event}\n`
  return (
    <li class={look}>
      <span class="offset">
        {(at / 1000).toFixed(3)} s{gap >= 1000 ? ` (+${durationText(gap)})` : ''}
      </span>
      <details>
        <summary>
          <strong>{textIn(data)}</strong>{' '}
          <code class="brief">
            {name}data: {newIn(data, before?.data)}
          </code>
        </summary>
        <code>
          {name}data: {data}
        </code>
      </details>
    </li>
  )
}

/** The JSON of an event without the fields that are as in the event before it, such as the id. */
function newIn(data: string, before = ''): string {
  const [now, past] = [data, before].map(fieldsOf)
  if (now === undefined || past === undefined) return data
  const text = (value: unknown): string => JSON.stringify(value)
  const fresh = Object.entries(now).filter(([name, value]) => text(value) !== text(past[name]))
  return `${fresh.length < Object.keys(now).length ? '… ' : ''}${text(Object.fromEntries(fresh))}`
}

function fieldsOf(data: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return value instanceof Object ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** The text that an event adds, in the formats of chat and messages. */
function textIn(data: string): string {
  const value = fieldsOf(data) as
    | {
        choices?: {
          delta?: { content?: string | null; tool_calls?: { function?: { arguments?: string } }[] }
        }[]
        delta?: { text?: string; partial_json?: string; thinking?: string }
      }
    | undefined
  const delta = value?.choices?.[0]?.delta
  const call = delta?.tool_calls?.map((one) => one.function?.arguments ?? '').join('')
  return (
    delta?.content ||
    call ||
    (value?.delta?.text ?? value?.delta?.partial_json ?? value?.delta?.thinking ?? '')
  )
}
