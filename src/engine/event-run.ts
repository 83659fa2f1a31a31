/** The events of a stream; similar events are stored as runs until they are read one by one. */

/** Events that differ only in one part of their data: an answer of a hundred words is one run. */
export interface EventRun {
  /** Virtual milliseconds before each of them. */
  readonly after: number
  readonly event?: string
  /** The text before and after each part. */
  readonly head: string
  /** One for each event; at least one. */
  readonly parts: readonly string[]
  readonly tail: string
}

/** An event of a run by itself. */
export interface RunEvent {
  readonly after: number
  readonly event?: string
  readonly data: string
}

export function isRun(item: object): item is EventRun {
  return 'parts' in item
}

/** How many events there are. */
export function eventCount(items: readonly object[]): number {
  let count = 0
  for (const item of items) count += isRun(item) ? item.parts.length : 1
  return count
}

/** The events one by one. */
export function eventsIn<Event extends object>(
  items: readonly (Event | EventRun)[],
): readonly (Event | RunEvent)[] {
  if (!items.some(isRun)) return items as readonly Event[]
  const events: (Event | RunEvent)[] = []
  for (const item of items) {
    if (!isRun(item)) {
      events.push(item)
      continue
    }
    const { after, event, head, parts, tail } = item
    for (const part of parts) {
      const data = head + part + tail
      events.push(event === undefined ? { after, data } : { after, event, data })
    }
  }
  return events
}

/** Server-sent events as text. */
export function streamText(items: readonly (FramedEvent | EventRun)[]): string {
  const texts: string[] = []
  for (const item of items) {
    if (isRun(item)) addRun(texts, item)
    else texts.push(frameOf(item))
  }
  // One `join` copies each character once; a concatenation would be copied again when it is sent.
  return texts.join('')
}

function addRun(texts: string[], { event, head, parts, tail }: EventRun): void {
  const end = `${tail}\n\n`
  let before = startOf(event) + head
  const between = [end, before].join('')
  for (const part of parts) {
    texts.push(before, part)
    before = between
  }
  texts.push(end)
}

/** The sent fields of an event. */
interface FramedEvent {
  readonly event?: string | undefined
  readonly data: string
  /** Sent verbatim instead. */
  readonly raw?: string | undefined
}

/** One event as text. */
export function frameOf({ event, data, raw }: FramedEvent): string {
  return raw ?? `${startOf(event)}${data}\n\n`
}

/** The text before the data of an event. */
const startOf = (event: string | undefined): string =>
  event === undefined ? 'data: ' : `event: ${event}\ndata: `
