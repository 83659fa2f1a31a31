/** How a response ended: `disconnected after event 3, at 1.2 s`. */
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { counted } from '../../text/printable.ts'

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
export function endLook(call: ShownEnd): 'good' | 'warn' | 'bad' {
  const word = endWord(call)
  if (word === 'completed') return 'good'
  return word === 'open' || word === 'aborted' ? 'warn' : 'bad'
}

const hints: Readonly<Record<string, string>> = {
  disconnected: 'The server cut the connection before the end of the response.',
  aborted: 'The client closed the connection before the end of the response.',
  stalled: 'The server sends nothing more and keeps the connection open.',
  open: 'The response has not ended yet.',
  'error event': 'The stream ended with an error event.',
  'no end marker': 'The stream ended without its end marker, such as [DONE] or message_stop.',
}

/** The meaning of that word. */
export const endHint = (call: ShownEnd): string | undefined => hints[endWord(call)]

export function endText(entry: Ended): string {
  const { ended, endedAfter, response, cause } = entry
  const { eventCount, events = [] } = response ?? {}
  const word = endWord(entry)
  if (ended === 'completed')
    return eventCount === undefined ? word : `${word}, ${counted(eventCount, 'event')}`
  if (word === 'open') {
    const all = events.length + (cause.coming?.length ?? 0)
    return eventCount === undefined ? word : `open, ${eventCount} of ${counted(all, 'event')} sent`
  }
  const at = `at ${Number((endedAfter / 1000).toFixed(3))} s`
  if (eventCount === undefined) return `${word} ${at}`
  return `${word} ${eventCount === 0 ? 'before the first event' : `after event ${eventCount}`}, ${at}`
}
