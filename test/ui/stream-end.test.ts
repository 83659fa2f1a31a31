/** What the page says about the end of a stream. */
import { expect, it } from 'vitest'
import type { JournalEntryJson } from '../../src/journal/filter.ts'
import { wireEntry } from '../../src/journal/filter.ts'
import { endText } from '../../src/ui/stream-end.ts'
import { streamLanes } from '../../src/ui/timeline/lanes.ts'
import { jsonCall, simulator, withRules } from '../_setup.ts'

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }

/** The entry of a stream with this script, five seconds after the request, when the session has ended. */
async function entryOf(script: string, clock: 'auto' | 'manual'): Promise<JournalEntryJson> {
  const sim = simulator({
    clock,
    settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
    ...withRules([`when: { operation: chat.create }, then: { stream: { script: ${script} } }`]),
  })
  const session = sim.createSession()
  const response = await session.fetch('http://gateway.test/v1/chat/completions', jsonCall(body))
  const text = response.text().catch(() => undefined)
  session.clock.advance('5s')
  const entry = session.journal()[0]
  session.dispose()
  await text
  return wireEntry(entry as never) as JournalEntryJson
}

const cut = '[{ text: a }, { wait: 2s }, { fault: disconnect }]'

it.each(['auto', 'manual'] as const)('says when the server cut the stream, in %s', async (clock) => {
  const entry = await entryOf(cut, clock)
  const last = entry.stream.at(-1)?.offset as number
  expect(entry.endOffset).toBe(last + 2000)
  expect(endText(entry)).toBe(
    `: the server cut the stream after event ${entry.eventCount}, at ` +
      `${((last + 2000) / 1000).toFixed(3)} s, after 2 s of silence`,
  )
})

it('leaves out the silence of a stream that was cut at once', async () => {
  expect(endText(await entryOf('[{ text: a }, { fault: disconnect }]', 'manual'))).toMatch(
    /^: the server cut the stream after event \d+, at 0\.1\d\d s$/,
  )
})

it('calls a stream stalled whose session ended', async () => {
  const entry = await entryOf('[{ text: a }, { fault: stall }]', 'manual')
  expect(endText(entry)).toBe(
    `: the stream stalled after event ${entry.eventCount} and stayed open until the session ended, at 5.000 s`,
  )
})

it('says nothing about a complete stream', async () => {
  expect(endText(await entryOf('[{ text: a }]', 'manual'))).toBe('')
})

it('draws the bar of the timeline up to the cut', async () => {
  const entry = await entryOf(cut, 'manual')
  const call = { ...entry, streamed: true } as never
  const [lane] = streamLanes([call], new Map([[`${entry.session}/${entry.seq}`, entry]]))
  expect(lane?.end).toBe(Date.parse(entry.at) + (entry.endOffset as number))
})
