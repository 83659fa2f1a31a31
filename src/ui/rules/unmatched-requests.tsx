/** Requests that no rule matched, with the nearest rule and a rule to begin with; and unknown paths. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { LiveCall, RequestExplanation } from '../../generated/control-types.ts'
import { isUnmatched } from '../../journal/failed.ts'
import { control, fetchEntry, saved } from '../api.ts'
import { openDraft } from '../editor/scenario-file.ts'
import { Prose } from '../prose.tsx'
import { linkTo } from '../route.ts'
import { acting, calls, notice, server } from '../state.ts'
import { stubOf } from './rule-of.ts'

/** The most requests shown; the list of requests has a filter for all of them. */
const maxShown = 20

export function UnmatchedRequests(): JSX.Element {
  const list = calls.value.filter((call) => isUnmatched(call) && call.session === acting.value)
  return (
    <section aria-labelledby="unmatched">
      <h1 id="unmatched">Unmatched requests</h1>
      {list.length === 0 ? (
        <p class="hint">
          None.{' '}
          {server.value?.strict === false
            ? 'Unless strict is set, a request that no rule matches gets the default response.'
            : ''}
        </p>
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

function Unmatched({
  call: { session, seq, operation, method, path },
}: {
  readonly call: LiveCall
}): JSX.Element {
  const [why, setWhy] = useState<RequestExplanation>()
  useEffect(() => {
    control<RequestExplanation>(session, 'GET', `journal/${seq}/explain`).then(setWhy, () =>
      setWhy(undefined),
    )
  }, [session, seq])
  const nearest = why?.rules[0]
  // No rule can match an unknown path: the reason says what is wrong with it.
  const reason =
    operation === null
      ? (why?.because ?? '')
      : nearest === undefined
        ? 'No rule applies to this operation.'
        : `Nearest: ${nearest.sentence}`
  const write = async (): Promise<void> => {
    const entry = await fetchEntry({ session, seq }).catch(() => undefined)
    if (entry === undefined) notice.value = 'The journal no longer contains this request.'
    else openDraft(stubOf(entry))
  }
  return (
    <li>
      <a href={linkTo(['requests', session, String(seq)])}>
        {operation ?? `${method} ${path}`} #{seq}
      </a>{' '}
      {why === undefined ? null : <Prose text={reason} />}{' '}
      {saved === undefined && operation !== null ? (
        <button type="button" onClick={write}>
          Write a rule for this request
        </button>
      ) : null}
    </li>
  )
}
