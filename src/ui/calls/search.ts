/** What the search of the list compares with: what a row shows, its method and path, and its ids. */
import type { LiveCall } from '../../generated/control-types.ts'
import { isUnmatched } from '../../journal/failed.ts'
import { endWord } from '../stream-end.ts'

/** What an unmatched request lacks. */
const missing = ({ operation }: LiveCall): string => (operation === null ? 'unknown path' : 'unmatched')

/** Why a request got its response, as its row shows it. */
export const reasonOf = (call: LiveCall): string =>
  isUnmatched(call) ? missing(call) : (call.rule ?? call.decidedBy ?? '')

/** How the response ended, as its row shows it. */
export const endOf = (call: LiveCall): string => (call.ended === 'completed' ? '' : endWord(call))

/** The shortest part of a request id or trace id to find: shorter texts are in most ids. */
const shortestPart = 6

/**
 * Whether a request matches a text in lower case: a number is that of a request, and up to three digits are
 * also the beginning of a status.
 */
export function matchesText(call: LiveCall, text: string): boolean {
  const { method, path, operation, session, faults, requestId, traceId, rejection, about } = call
  if (text.replace('#', '') === String(call.seq)) return true
  if (/^\d{1,3}$/.test(text)) return String(call.status).startsWith(text)
  const reason = reasonOf(call) || (rejection === null ? 'default response' : '')
  const shown = [method, path, operation, session, about, reason, ...faults, endOf(call)].join(' ')
  return (
    shown.toLowerCase().includes(text) ||
    (text.length >= shortestPart && `${requestId} ${traceId}`.toLowerCase().includes(text))
  )
}
