/** What the page says about the end of a stream. */
import { expect, it } from 'vitest'
import type { JournalEntry } from '../../src/exchange/exchange.ts'
import { entryJson, type JournalEntryJson } from '../../src/exchange/plain.ts'
import { endOf } from '../../src/ui/calls/search.ts'
import { endHint, endLook, endText } from '../../src/ui/stream-end.ts'
import { streamLanes } from '../../src/ui/timeline/lanes.ts'
import { post, simulator, withRules } from '../_setup.ts'

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }

/** The entry of a stream with this script, five seconds after the request, when the session has ended. */
async function entryOf(script: string, clock: 'auto' | 'manual' = 'manual'): Promise<JournalEntryJson> {
  const entries: JournalEntry[] = []
  const sim = simulator({
    clock,
    onCall: (entry) => void entries.push(entry),
    settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
    ...withRules([`when: { operation: chat.create }, then: { stream: { script: ${script} } }`]),
  })
  // The response may not begin before the clock moves.
  const reading = post(sim, '/v1/chat/completions', body)
    .then((response) => response.text())
    .catch(() => undefined)
  await sim.settled()
  sim.clock.advance('5s')
  await sim.fetch('/__sim/reset', { method: 'POST' })
  await reading
  return entryJson(entries[0] as JournalEntry)
}

const cut = '[{ text: a }, { wait: 2s }, { fault: disconnect }]'

it.each(['auto', 'manual'] as const)('says when the server cut the stream, in %s', async (clock) => {
  const entry = await entryOf(cut, clock)
  const end = (entry.response?.events?.at(-1)?.at as number) + 2000
  expect(entry.endedAfter).toBe(end)
  expect(endText(entry)).toBe(
    `disconnected 2 s after event ${entry.response?.eventCount}, at ${end / 1000} s`,
  )
})

it('leaves out the silence before a stream that was cut at once', async () => {
  expect(endText(await entryOf('[{ text: a }, { fault: disconnect }]'))).toMatch(
    /^disconnected after event \d+, at 0\.1\d+ s$/,
  )
})

it('says that a stream ended before its first event', async () => {
  const entry = await entryOf('[{ fault: disconnect }]')
  expect(endText(entry)).toBe('disconnected before the first event, at 0 s')
})

it('says that a stream stalled until its session ended', async () => {
  const entry = await entryOf('[{ text: a }, { fault: stall }]')
  expect(endText(entry)).toBe(
    `stalled after event ${entry.response?.eventCount}, open until the session ended, at 5 s`,
  )
})

it('says that an open stream has stalled, and when', async () => {
  const entry = {
    ...(await entryOf('[{ text: a }, { fault: stall }]')),
    ended: 'open',
    endedAfter: 150,
  } as const
  const cause = { ...entry.cause, stalledAfter: 150 }
  expect(endText({ ...entry, cause })).toBe(`stalled after event ${entry.response?.eventCount}, at 0.15 s`)
  expect(endText(entry)).toMatch(/^open, /)
})

it('says that the client left', async () => {
  const entry = await entryOf(cut)
  expect(endText({ ...entry, ended: 'aborted' })).toMatch(/^aborted 2 s after event \d+, at 2\.1\d+ s$/)
})

it('counts the events of a complete stream, and those sent of an open one', async () => {
  const entry = await entryOf('[{ text: a }]')
  const { events = [], ...response } = entry.response as NonNullable<JournalEntryJson['response']>
  expect(endText(entry)).toBe(`completed, ${events.length} events`)
  const open = {
    ...entry,
    ended: 'open',
    response: { ...response, events: events.slice(0, 1), eventCount: 1 },
    cause: { ...entry.cause, coming: events.slice(1) },
  } as const
  expect(endText(open)).toBe(`open, 1 of ${events.length} events sent`)
})

it.each([
  ['sim-error-after-2', '/v1/chat/completions', 'ended with an error event, 3 events', 'error event'],
  ['sim-missing-end', '/v1/chat/completions', 'ended without [DONE], ', 'no end marker'],
  ['sim-missing-end', '/v1/messages', 'ended without message_stop, ', 'no end marker'],
])('does not call a broken stream complete: %s at %s', async (model, path, text, word) => {
  const sim = simulator({ clock: 'auto' })
  const more = { model, max_tokens: 50 }
  await (await post(sim, path, { ...body, ...more }, { 'anthropic-version': '2023-06-01' })).text()
  const entry = entryJson(sim.journal()[0] as JournalEntry)
  expect(entry.ended).toBe('completed')
  expect(endText(entry)).toContain(text)
  expect([endOf({ ...entry, about: '' }), endLook(entry)]).toEqual([word, 'broken'])
  expect(endHint(entry)).toMatch(/^The stream ended with/)
})

it('says of another response only how and when it ended', async () => {
  const entry = { ...(await entryOf(cut)), response: { status: 200, headers: [] } }
  expect(endText(entry)).toMatch(/^disconnected at 2\.1\d+ s$/)
  expect(endText({ ...entry, ended: 'completed' })).toBe('completed')
})

it('draws the bar of the timeline up to the cut', async () => {
  const entry = await entryOf(cut)
  const [lane] = streamLanes([{ ...entry, about: '' }], new Map([[`${entry.session}/${entry.seq}`, entry]]))
  expect(lane?.end).toBe(Date.parse(entry.at) + entry.endedAfter)
})
