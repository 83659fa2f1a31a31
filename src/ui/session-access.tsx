/** How to send requests to a session that the page has created. */
import type { JSX } from 'preact'
import type { SessionState } from '../generated/control-types.ts'
import { CopyButton } from './copy-button.tsx'
import { linkTo } from './route.ts'

export function SessionAccess({
  session: { name, baseUrl, apiKey, headers },
}: {
  readonly session: SessionState
}): JSX.Element {
  const header = Object.entries(headers)
    .map(([one, value]) => `${one}: ${value}`)
    .join('\n')
  const rows = [
    { title: 'Base URL', text: baseUrl },
    { title: 'Base URL for OpenAI', text: `${baseUrl}/v1` },
    { title: 'or header', text: header },
    { title: 'API key', text: apiKey },
  ]
  return (
    <section aria-label={`The session ${name}`}>
      <p role="status">
        The session <code>{name}</code> is selected on this page. Send requests with:
      </p>
      <dl class="facts">
        {rows.map(({ title, text }) => (
          <>
            <dt key={`${title} name`}>{title}</dt>
            <dd key={title}>
              <code>{text}</code>{' '}
              <CopyButton label="Copy" name={`Copy the ${title.replace(/^or /, '')}`} text={() => text} />
            </dd>
          </>
        ))}
      </dl>
      <p>
        <a href={linkTo(['requests'], { session: name })}>Requests in session {name}</a>
      </p>
    </section>
  )
}
