/** How a response ended: `disconnected after event 3, at 1.2 s`. */
import type { JournalEntryJson } from '../exchange/plain.ts'
import { counted } from '../text/printable.ts'
import { durationText } from './timeline/scale.ts'

type Ended = Pick<JournalEntryJson, 'ended' | 'endedAfter' | 'response' | 'cause'>

/** What a row shows of the end. */
interface ShownEnd {
  readonly ended: Ended['ended']
  readonly cause: Pick<Ended['cause'], 'faults' | 'stalledAfter'>
}

/** An open response that has stalled is `stalled`; a complete one can still be a broken stream. */
export function endWord({ ended, cause: { stalledAfter, faults } }: ShownEnd): string {
  if (ended === 'open') return stalledAfter === undefined ? ended : 'stalled'
  if (ended !== 'completed') return ended
  if (faults.includes('error-event')) return 'error event'
  return faults.includes('missing-end') ? 'no end marker' : ended
}

/** The class of its colour. */
export const endLook = (call: ShownEnd): string =>
  call.ended === 'completed' && endWord(call) !== 'completed' ? 'broken' : call.ended

/** The meaning of that word. */
export function endHint(call: ShownEnd): string {
  switch (endWord(call)) {
    case 'disconnected':
      return 'The server cut the connection before the end of the response.'
    case 'aborted':
      return 'The client closed the connection before the end of the response.'
    case 'stalled':
      return 'The server sends nothing more and keeps the connection open.'
    case 'open':
      return 'The response has not ended yet.'
    case 'error event':
      return 'The stream ended with an error event.'
    case 'no end marker':
      return 'The stream ended without its end marker, such as [DONE] or message_stop.'
    default:
      return 'The server sent the whole response.'
  }
}

/** The shortest silence before the end to mention, in milliseconds. */
const leastSilence = 1000

export function endText(entry: Ended): string {
  const { ended, response, cause } = entry
  const { eventCount, events = [] } = response ?? {}
  const isStream = eventCount !== undefined
  if (ended === 'completed') return isStream ? `${wholeText(entry)}, ${counted(eventCount, 'event')}` : ended
  if (ended !== 'open' || endWord(entry) === 'stalled') return cutText(entry)
  const all = events.length + (cause.coming?.length ?? 0)
  return isStream ? `open, ${eventCount} of ${counted(all, 'event')} sent` : ended
}

function wholeText(entry: Ended): string {
  const word = endWord(entry)
  if (word === 'error event') return 'ended with an error event'
  if (word !== 'no end marker') return word
  // The events of chat have no names.
  const name = entry.response?.events?.[0]?.event
  if (name === undefined) return 'ended without [DONE]'
  return `ended without ${name.startsWith('message_') ? 'message_stop' : 'its end marker'}`
}

function cutText(entry: Ended): string {
  const { ended, endedAfter, response, cause } = entry
  const { eventCount, events = [] } = response ?? {}
  const word = endWord(entry)
  const at = `at ${Number((endedAfter / 1000).toFixed(3))} s`
  if (eventCount === undefined) return `${word} ${at}`
  const time = `, ${at}`
  if (eventCount === 0) return `${word} before the first event${time}`
  if (ended === 'disconnected' && cause.faults.includes('stall'))
    return `stalled after event ${eventCount}, open until the session ended${time}`
  const silence = endedAfter - ((events[eventCount - 1] ?? events.at(-1))?.at ?? 0)
  const after = silence < leastSilence ? 'after' : `${durationText(silence)} after`
  return `${word} ${after} event ${eventCount}${time}`
}
