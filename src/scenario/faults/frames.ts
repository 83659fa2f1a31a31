/** Events of a stream as the text that goes out, for faults that change it (wire-formats 1.6). */
import { mediaMark, type StreamEvent } from '../../protocol/reply.ts'

/** An event as it goes out. Lines of `data` become lines of their own. */
export function frame({ event, data, raw }: Pick<StreamEvent, 'event' | 'data' | 'raw'>): string {
  if (raw !== undefined) return raw
  const lines = data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')
  return `${event === undefined ? '' : `event: ${event}\n`}${lines}\n`
}

/** The event with data that cannot be parsed: its first half. A mark that stands for media is not cut. */
export function broken(event: StreamEvent): string {
  const text = frame(event)
  const [end = ''] = /[\r\n]*$/.exec(text) ?? []
  const from = Math.max(0, text.search(/data: /))
  const middle = from + Math.ceil((text.length - end.length - from) / 2) + 3
  const mark = text.lastIndexOf(mediaMark, middle)
  const cut = mark >= 0 && mark + mediaMark.length > middle ? mark + mediaMark.length : middle
  return text.slice(0, Math.min(cut, text.length - end.length)) + end
}

/** JSON in three lines where it is an object: line ends between its tokens mean nothing. */
export function inLines(data: string): string {
  return data.startsWith('{') && data.endsWith('}') && data.length > 2 ? `{\n${data.slice(1, -1)}\n}` : data
}
