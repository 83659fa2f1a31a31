/** The events of a stream with their times, and the text that the client had received by each. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { endWord } from './stream-end.ts'

/** The most events shown. */
const maxShown = 1000
/** The most characters shown of an event without a text, until it is opened. */
const maxBrief = 60

export function StreamEvents({ entry }: { readonly entry: JournalEntryJson }): JSX.Element {
  const [until, setUntil] = useState<number>()
  const { response, cause } = entry
  const sent = response?.eventCount ?? 0
  const stream = [...(response?.events ?? []), ...(cause.coming ?? [])]
  const shown = Math.min(until ?? sent, stream.length)
  const text = stream.slice(0, shown).map(({ data }) => textIn(data))
  return (
    <section>
      <h2>Stream</h2>
      <label>
        Events shown: {shown}
        <input
          type="range"
          min={0}
          max={stream.length}
          value={shown}
          onInput={({ currentTarget }) => setUntil(Number(currentTarget.value))}
        />
      </label>
      <pre class="text">{text.join('')}</pre>
      <ol class="events">
        {stream.slice(0, maxShown).map(({ at, event, data }, index) => (
          <li key={index} class={index < shown ? undefined : 'soft'}>
            {index === sent ? <p>{endWord(entry) === 'open' ? 'Not sent yet:' : 'Never sent:'}</p> : null}
            <details>
              <summary>
                <span class="soft">{(at / 1000).toFixed(3)} s</span> {event}{' '}
                <strong>{textIn(data) || data.slice(0, maxBrief)}</strong>
              </summary>
              <code>{data}</code>
            </details>
          </li>
        ))}
      </ol>
      {stream.length > maxShown ? <p class="soft">The first {maxShown} events are listed.</p> : null}
    </section>
  )
}

interface EventData {
  readonly choices?: readonly { readonly delta?: ChatDelta }[]
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly thinking?: string }
}

interface ChatDelta {
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[]
}

/** The text that an event adds, in the formats of chat and messages. */
function textIn(data: string): string {
  let value: EventData | null
  try {
    value = JSON.parse(data) as EventData | null
  } catch {
    return ''
  }
  const { content, tool_calls: calls = [] } = value?.choices?.[0]?.delta ?? {}
  const { text, partial_json: json, thinking } = value?.delta ?? {}
  return (
    content ||
    calls.map((call) => call.function?.arguments ?? '').join('') ||
    (text ?? json ?? thinking ?? '')
  )
}
