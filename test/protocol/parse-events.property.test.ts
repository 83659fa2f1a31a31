import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventParser } from '../../src/protocol/parse-events.ts'

/** The events after each part. */
function read(parts: readonly string[]): (readonly string[])[] {
  const events: string[] = []
  const parser = createEventParser({ onEvent: ({ event, data }) => events.push(`${event ?? ''}|${data}`) })
  return parts.map((part) => {
    parser.feed(part)
    return [...events]
  })
}

it('reads an event when its last line end has arrived, for each kind of line end', () => {
  for (const end of ['\n', '\r\n', '\r'])
    expect(read([`event: a${end}data: 1${end}${end}`, `data: 2${end}`, end])).toEqual([
      ['a|1'],
      ['a|1'],
      ['a|1', '|2'],
    ])
})

it('reads the same events however the text is cut', () => {
  const end = fc.constantFrom('\n', '\r\n', '\r')
  const event = fc.tuple(fc.stringMatching(/^[a-z {}":]{1,12}$/), end, end)
  fc.assert(
    fc.property(fc.array(event), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (events, sizes) => {
      const text = events.map(([data, first, second]) => `data: ${data}${first}${second}`).join('')
      const parts: string[] = []
      for (let at = 0; at < text.length; ) {
        const size = sizes.next().value as number
        parts.push(text.slice(at, (at += size)))
      }
      expect(read(parts).at(-1) ?? []).toEqual(read([text]).at(-1))
    }),
  )
})
