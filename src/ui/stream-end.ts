/** How a stream ended that is not complete, as the continuation of a sentence. */
import type { JournalEntryJson } from '../journal/filter.ts'
import { durationText } from './timeline/scale.ts'

type Ended = Pick<JournalEntryJson, 'ended' | 'eventCount' | 'faults' | 'endOffset' | 'stream'>

/** The shortest silence before the end to mention, in milliseconds. */
const leastSilence = 1000

export function endText({ ended, eventCount, faults, endOffset, stream }: Ended): string {
  if (ended !== 'disconnected' && ended !== 'aborted') return ''
  const silence = (endOffset ?? 0) - (stream.at(-1)?.offset ?? 0)
  const time =
    endOffset === null
      ? ''
      : `, at ${(endOffset / 1000).toFixed(3)} s` +
        (silence < leastSilence ? '' : `, ${durationText(silence)} after the last event`)
  if (ended === 'aborted') return `: the client left after event ${eventCount}${time}`
  return faults.includes('stall')
    ? `: the stream stalled after event ${eventCount} and stayed open until the session ended${time}`
    : `: the server cut the stream after event ${eventCount}${time}`
}
