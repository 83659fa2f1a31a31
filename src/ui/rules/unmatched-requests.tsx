/** Requests that strict rejected, with the nearest rule and a rule to begin with; and unknown paths. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isUnmatched } from '../../exchange/failed.ts'
import type { LiveCall, RequestExplanation } from '../../generated/control-types.ts'
import { counted } from '../../text/printable.ts'
import { control, fetchEntry, saved } from '../api.ts'
import { CopyButton } from '../copy-button.tsx'
import { Prose } from '../prose.tsx'
import { linkTo } from '../route.ts'
import { acting, calls, notice, server } from '../state.ts'
import { stubOf } from './rule-of.ts'

/** The most requests shown; the list of requests has a filter for all of them. */
const maxShown = 20

/** Whether neither a rule nor anything else decided the response. */
const isDefault = (call: LiveCall): boolean =>
  !isUnmatched(call) && (call.cause.rule ?? call.cause.decidedBy ?? call.cause.rejection) === undefined

export function UnmatchedRequests(): JSX.Element {
  const own = calls.value.filter(({ session }) => session === acting.value)
  const list = own.filter(isUnmatched)
  const byDefault = own.filter(isDefault).length
  const isStrict =
    (server.value?.strict ?? false) !== false || list.some(({ operation }) => operation !== undefined)
  return (
    <section aria-labelledby="unmatched">
      <h1 id="unmatched">{isStrict ? 'Unmatched requests' : 'Unknown paths'}</h1>
      <p class="hint">
        Requests to unknown paths{isStrict ? ', and requests that strict rejected' : ''}.
        {byDefault === 0 ? null : (
          <>
            {' '}
            Not listed: {counted(byDefault, 'request')} without a matching rule that got the{' '}
            <a href={linkTo(['requests'], { q: 'default response' })}>default response</a>.
          </>
        )}
      </p>
      {list.length === 0 ? (
        <p>None.</p>
      ) : (
        <p>
          <a href={linkTo(['requests'], { only: 'unmatched' })}>All unmatched requests ({list.length})</a>
        </p>
      )}
      <ul class="plain-list">
        {list
          .slice(-maxShown)
          .toReversed()
          .map((call) => (
            <Unmatched key={`${call.session}/${call.seq}`} call={call} />
          ))}
      </ul>
    </section>
  )
}

function Unmatched({ call: { session, seq, operation, request } }: { readonly call: LiveCall }): JSX.Element {
  const [why, setWhy] = useState<RequestExplanation>()
  useEffect(() => {
    control<RequestExplanation>(session, 'GET', `journal/${seq}/explain`).then(setWhy, () =>
      setWhy(undefined),
    )
  }, [session, seq])
  const nearest = why?.rules[0]
  // No rule can match an unknown path: the reason says what is wrong with it.
  const rules = nearest === undefined ? 'No rule applies to this operation.' : `Nearest: ${nearest.sentence}`
  const reason = operation === undefined ? (why?.because ?? '') : rules
  const rule = async (): Promise<string | undefined> => {
    const entry = await fetchEntry({ session, seq }).catch(() => undefined)
    if (entry === undefined) notice.value = 'The journal no longer contains this request.'
    return entry && stubOf(entry)
  }
  return (
    <li>
      <a href={linkTo(['requests', session, String(seq)])}>
        {operation ?? `${request.method} ${request.url}`} #{seq}
      </a>{' '}
      {why === undefined ? null : <Prose text={reason} />}{' '}
      {saved === undefined && operation !== undefined ? (
        <CopyButton label="Copy a rule for this request" title="A scenario file to begin with" text={rule} />
      ) : null}
    </li>
  )
}
