/** Restores from a journal entry the facts of a call that rules match. */

import type { JournalEntry } from '../engine/journal-entry.ts'
import { RecordedCall } from '../engine/recorded-call.ts'
import { readBodyFacts } from '../protocol/body-facts.ts'
import type { Payload } from '../protocol/call.ts'
import { parseJournalBody } from '../protocol/canonical.ts'
import type { Router } from '../protocol/router.ts'
import type { RuleFacts } from '../scenario/facts.ts'

/** The facts that rules match, without those that only a live call has. */
export type CallFacts = Omit<RuleFacts, 'world' | 'identity' | 'route' | 'nth' | 'considered'>

export interface RecalledCall {
  readonly entry: JournalEntry
  readonly facts: CallFacts
  /** The path without its query. */
  readonly address: string
  /** Why the body is unknown; undefined when it was kept whole. */
  readonly unreadable: string | undefined
}

/** The call of an entry. */
export function recall(entry: JournalEntry, router: Pick<Router, 'match'>): RecalledCall {
  const { key, headers, cut } = RecordedCall.sent(entry)
  const at = entry.path.indexOf('?')
  const address = at < 0 ? entry.path : entry.path.slice(0, at)
  const match = router.match(entry.method, address)
  const endpoint = match.kind === 'found' ? match.route.endpoint : undefined
  const params = match.kind === 'found' ? match.params : {}
  const payload = cut ? undefined : parseJournalBody(entry.request)
  const body: Payload = payload ?? { kind: 'none' }
  const { model, prompt } = readBodyFacts(body, endpoint)
  return {
    entry,
    address,
    facts: {
      operation: entry.operation ?? '',
      key: endpoint?.open === true ? undefined : key,
      model: model ?? params['model'],
      prompt,
      payload: body,
      query: at < 0 ? '' : entry.path.slice(at + 1),
      headers,
      params,
      job: undefined,
      now: entry.at,
    },
    unreadable:
      payload !== undefined
        ? undefined
        : entry.request === undefined
          ? 'a body that the journal does not keep'
          : `a body of which the journal keeps the first ${entry.request.length} characters`,
  }
}
