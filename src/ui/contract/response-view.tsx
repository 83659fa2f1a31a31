/** The response to a request of a form, and a link to the request in the journal. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { linkTo } from '../route.ts'
import { calls, clockOfSelected } from '../state.ts'
import type { Received } from './send.ts'

export function ResponseView({ received }: { readonly received: Received }): JSX.Element {
  const { state, status, statusText, headers, text, media, error } = received
  const isManual = clockOfSelected.value?.mode === 'manual'
  const words = {
    waiting: `Waiting for the response.${isManual ? ' A delay ends when the clock is advanced.' : ''}`,
    reading: `Receiving the response.${isManual ? ' More may arrive when the clock is advanced.' : ''}`,
    ended: 'The response is complete.',
    stopped: 'Cancelled.',
    failed: `The connection failed: ${error}.`,
  }
  // Its name depends on the API.
  const id = headers.find(([name]) => /^(?:x-(?:typesafe-)?)?request-id$/.test(name))?.[1]
  const call = id === undefined ? undefined : calls.value.find(({ requestId }) => requestId === id)
  return (
    <section aria-label="Response">
      <h2>Response</h2>
      <p role="status">
        {status === 0 ? null : (
          <span class={`code c${Math.floor(status / 100)}`}>
            {status} {statusText}
          </span>
        )}{' '}
        {words[state]}
      </p>
      {call === undefined ? null : (
        <p>
          <a href={linkTo(['requests', call.session, String(call.seq)])}>
            Request {call.seq} of the session {call.session}
          </a>
        </p>
      )}
      {headers.length === 0 ? null : (
        <details>
          <summary>Headers</summary>
          <dl class="headers">
            {headers.map(([name, value]) => [
              <dt key={`${name} name`}>{name}</dt>,
              <dd key={name}>{value}</dd>,
            ])}
          </dl>
        </details>
      )}
      {media === undefined ? null : <Media media={media} />}
      {text === '' ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre tabIndex={0}>{readable(text)}</pre>
      )}
    </section>
  )
}

function Media({ media }: { readonly media: Blob }): JSX.Element {
  const url = useMemo(() => URL.createObjectURL(media), [media])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return media.type.startsWith('image/') ? (
    <img class="received" src={url} alt="Response" />
  ) : (
    // biome-ignore lint/a11y/useMediaCaption: generated, without speech
    <video class="received" src={url} controls />
  )
}

/** JSON with line breaks; other texts as they are. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
