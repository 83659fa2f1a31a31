/** How a response ended: `disconnected after event 3, at 1.2 s`. */
import type { JournalEntryJson } from '../journal/filter.ts'
import { counted } from '../text/printable.ts'
import { durationText } from './timeline/scale.ts'

type Ended = Pick<JournalEntryJson, 'ended' | 'eventCount' | 'faults' | 'endOffset' | 'stream'>

/** What a row tells of the end. */
type Told = Pick<Ended, 'ended' | 'endOffset' | 'faults'>

/** An open response that has stalled is `stalled`; a complete one can still be a broken stream. */
export function endWord({ ended, endOffset, faults }: Told): string {
  if (ended === 'open') return (endOffset ?? null) === null ? ended : 'stalled'
  if (ended !== 'completed') return ended
  if (faults.includes('error-event')) return 'error event'
  return faults.includes('missing-end') ? 'no end marker' : ended
}

/** The class of its colour. */
export const endLook = (call: Told): string =>
  call.ended === 'completed' && endWord(call) !== 'completed' ? 'broken' : call.ended

/** The meaning of that word. */
export function endHint(call: Told): string {
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

export function endText(entry: Ended, streamed: boolean): string {
  const { ended, eventCount, stream } = entry
  if (ended === 'completed') return streamed ? `${wholeText(entry)}, ${counted(eventCount, 'event')}` : ended
  if (ended !== 'open' || endWord(entry) === 'stalled') return cutText(entry, streamed)
  return streamed ? `open, ${eventCount} of ${counted(stream.length, 'event')} sent` : ended
}

function wholeText(entry: Ended): string {
  const word = endWord(entry)
  if (word === 'error event') return 'ended with an error event'
  if (word !== 'no end marker') return word
  // The events of chat have no names.
  const name = entry.stream[0]?.event
  if (name === undefined) return 'ended without [DONE]'
  return `ended without ${name.startsWith('message_') ? 'message_stop' : 'its end marker'}`
}

function cutText(entry: Ended, streamed: boolean): string {
  const { ended, eventCount, faults, endOffset, stream } = entry
  const word = endWord(entry)
  const at = endOffset === null ? '' : `at ${Number((endOffset / 1000).toFixed(3))} s`
  if (!streamed) return `${word} ${at}`.trimEnd()
  const time = at === '' ? '' : `, ${at}`
  if (eventCount === 0) return `${word} before the first event${time}`
  if (ended === 'disconnected' && faults.includes('stall'))
    return `stalled after event ${eventCount}, open until the session ended${time}`
  const silence = (endOffset ?? 0) - ((stream[eventCount - 1] ?? stream.at(-1))?.offset ?? 0)
  const after = silence < leastSilence ? 'after' : `${durationText(silence)} after`
  return `${word} ${after} event ${eventCount}${time}`
}
