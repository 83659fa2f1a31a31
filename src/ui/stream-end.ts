/** The end of a stream, as text. */
import type { JournalEntryJson } from '../journal/filter.ts'
import { durationText } from './timeline/scale.ts'

/** How a stream that did not complete ended, and when. */
export function endText(
  entry: Pick<JournalEntryJson, 'ended' | 'endOffset' | 'eventCount' | 'faults' | 'stream'>,
): string {
  const { ended, endOffset, eventCount, faults, stream } = entry
  if (ended !== 'disconnected' && ended !== 'aborted') return ''
  const event = `after event ${eventCount}`
  const time = endOffset === null ? '' : `, at ${secondsText(endOffset)}`
  if (ended === 'disconnected' && faults.includes('stall'))
    return `: the stream stalled ${event} and stayed open until the session ended${time}`
  const end = ended === 'aborted' ? `: the client left ${event}` : `: the server cut the stream ${event}`
  if (endOffset === null) return end
  const silence = endOffset - (stream.at(-1)?.offset ?? 0)
  const after = silence >= 1000 ? `, after ${durationText(silence)} of silence` : ''
  return `${end}${time}${after}`
}

export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(3)} s`
