/** What the search of the list compares with: what a row shows, its method and path, and its ids. */

import { statusOf } from '../../exchange/exchange.ts'
import { isUnmatched } from '../../exchange/failed.ts'
import type { LiveCall } from '../../generated/control-types.ts'
import { decisionText } from '../../protocol/plan.ts'
import { endWord } from '../stream-end.ts'

/** What an unmatched request lacks. */
const missing = ({ operation }: LiveCall): string => (operation === undefined ? 'unknown path' : 'unmatched')

/** Why a request got its response, as its row shows it. */
export const reasonOf = (call: LiveCall): string => (isUnmatched(call) ? missing(call) : sourceOf(call.cause))

/** The rule, or what else decided the response. */
const sourceOf = ({ rule, decidedBy }: LiveCall['cause']): string =>
  rule ?? (decidedBy === undefined ? '' : decisionText(decidedBy))

/** How the response ended, as its row shows it. */
export const endOf = (call: LiveCall): string => endWord(call).replace('completed', '')

/** The shortest part of a request id to find: shorter texts are in most ids. */
const shortestPart = 6

/**
 * Whether a request matches a text in lower case: a number is that of a request, and up to three digits are
 * also the beginning of a status.
 */
export function matchesText(call: LiveCall, text: string): boolean {
  const { operation, session, about, request, cause } = call
  if (text.replace('#', '') === String(call.seq)) return true
  if (/^\d{1,3}$/.test(text)) return String(statusOf(call)).startsWith(text)
  const reason = reasonOf(call) || (cause.rejection === undefined ? 'default response' : '')
  const { method, url } = request
  const shown = [method, url, operation, session, about, reason, ...cause.faults, endOf(call)].join(' ')
  return (
    shown.toLowerCase().includes(text) ||
    (text.length >= shortestPart && cause.requestId.toLowerCase().includes(text))
  )
}
