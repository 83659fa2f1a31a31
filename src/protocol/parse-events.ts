/** Reads server-sent events from text. */
import { createParser, type ParserCallbacks } from 'eventsource-parser'

/**
 * Parses server-sent events in parts of any length. A CR ends a line at once, as in browsers. The library
 * waits for the next part, which might begin with LF, and so loses the last event of a stream whose lines end
 * with CR.
 */
export function createEventParser(callbacks: ParserCallbacks): { feed(text: string): void } {
  const parser = createParser(callbacks)
  let afterReturn = false
  return {
    feed(text) {
      if (text === '') return
      const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text
      afterReturn = text.endsWith('\r')
      parser.feed(afterReturn ? `${rest}\n` : rest)
    },
  }
}
