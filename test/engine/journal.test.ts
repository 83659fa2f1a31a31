import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Bound, type Limits } from '../../src/engine/bounded-map.ts'
import { Journal } from '../../src/exchange/journal.ts'
import {
  type AnsweredFacts,
  type KeptExchange,
  keptOfBody,
  noCause,
} from '../../src/exchange/kept-exchange.ts'

const journalIn = (limits: Limits = {}): Journal => new Journal(new Bound(limits))
const call = (url: string, more: Partial<AnsweredFacts> = {}): AnsweredFacts => ({
  at: 0,
  session: 's',
  operation: 'chat.create',
  method: 'POST',
  url,
  status: 200,
  cause: { ...noCause, requestId: `req${url}` },
  ...more,
})
const paths = (journal: Journal): string[] => journal.kept().map(({ request }) => request.url)

describe('the journal', () => {
  it('keeps calls in order and numbers them', () => {
    const journal = journalIn()
    for (const path of ['/a', '/b']) journal.add(call(path))
    expect(journal.kept().map(({ seq, request }) => [seq, request.url])).toEqual([
      [0, '/a'],
      [1, '/b'],
    ])
    expect(journal.total).toBe(2)
  })

  it('drops the oldest over its number, and goes on counting', () => {
    const journal = journalIn({ count: 3 })
    for (let i = 0; i < 10; i++) journal.add(call(`/${i}`))
    expect([paths(journal), journal.total, journal.count]).toEqual([['/7', '/8', '/9'], 10, 3])
    expect(journal.since(0, 2).map(({ seq }) => seq)).toEqual([7, 8])
    expect(journal.since(8, 9).map(({ seq }) => seq)).toEqual([8, 9])
  })

  it('drops the oldest over its bytes, responses included', () => {
    const journal = journalIn({ size: 8000 })
    const entries = ['/a', '/b', '/c'].map((path) => journal.add(call(path, { request: 'x'.repeat(500) })))
    expect(journal.count).toBe(3)
    journal.close(entries[2] as KeptExchange, 'completed', 'y'.repeat(1000))
    expect(paths(journal)).toEqual(['/b', '/c'])
    expect(entries[2]).toMatchObject({ ended: 'completed', response: { body: { text: 'y'.repeat(1000) } } })
  })

  it('keeps only the beginning of a long body', () => {
    const journal = journalIn()
    const entry = journal.add(call('/a', { request: 'x'.repeat(1e5) }))
    journal.close(entry, 'completed', 'y'.repeat(1e5))
    expect([entry.request.body?.text?.length, entry.response?.body?.text?.length]).toEqual([
      keptOfBody,
      keptOfBody,
    ])
  })

  it('knows the unknown fields of a body of which it keeps only the beginning', () => {
    const body = { a: 1, b: 2, long: 'x'.repeat(1e5) }
    const known = { knownFields: () => new Set(['b', 'long']) }
    for (const [request, fields] of [
      [JSON.stringify(body), Object.keys(body)],
      ['a: 1\nb: 2', ['a', 'b']],
    ] as const) {
      const entry = journalIn().add(call('/a', { request, fields, ...known }))
      expect(entry.cause.ignored).toEqual(['a'])
    }
    const list = call('/a', { request: '[{"toString":1}]', ...known })
    expect(journalIn().add(list).cause.ignored).toEqual([])
  })

  it('keeps of bytes the text that it would keep of their text', () => {
    const journal = journalIn()
    const responseOf = (response: string | Uint8Array): string | undefined => {
      const entry = journal.add(call('/a'))
      journal.close(entry, 'completed', response)
      return entry.response?.body?.text
    }
    const fill = 'x'.repeat(keptOfBody - 10)
    for (const end of [
      '',
      'plain',
      'plain and long',
      'ten äöü €',
      '🙂🙂🙂🙂🙂🙂',
      '1€🙂🙂🙂🙂🙂🙂',
      '€'.repeat(30),
    ])
      for (const text of [end, fill + end])
        expect(responseOf(new TextEncoder().encode(text))).toBe(responseOf(text))
  })

  it('finds a kept entry by number and by request id', () => {
    const journal = journalIn({ count: 2 })
    for (const path of ['/a', '/b', '/c']) journal.add(call(path))
    expect([
      journal.entryOf(2)?.request.url,
      journal.entryOf('req/b')?.request.url,
      journal.entryOf(0),
      journal.entryOf('req/a'),
    ]).toEqual(['/c', '/b', undefined, undefined])
  })

  it('tells listeners of each call as it is taken and as it ends, in order and once', () => {
    const journal = journalIn()
    const heard: string[] = []
    const stop = journal.onEntry(({ request }) => heard.push(`entry ${request.url}`))
    journal.onClose(({ ended, request, response }) =>
      heard.push(`close ${request.url} ${ended} ${response?.body?.text}`),
    )
    const [a, b] = [journal.add(call('/a')), journal.add(call('/b'))]
    journal.close(b, 'completed', 'said')
    journal.close(a, 'aborted', undefined)
    journal.close(a, 'completed', 'late')
    stop()
    journal.add(call('/c'))
    expect(heard).toEqual(['entry /a', 'entry /b', 'close /b completed said', 'close /a aborted undefined'])
  })

  it('shows the events of a stream that were sent, with their times, and those to come while it is open', () => {
    const journal = journalIn()
    const events = [{ after: 5, head: '{', parts: ['1', '2', '3'], tail: '}' }]
    const entry = journal.add(call('/a', { events, delay: 10 }))
    const all = [15, 20, 25].map((at, index) => ({ at, data: `{${index + 1}}` }))
    expect([entry.response?.events, entry.cause.coming]).toEqual([[], all])
    entry.eventCount = 2
    expect([entry.response?.events, entry.cause.coming]).toEqual([all.slice(0, 2), all.slice(2)])
    journal.close(entry, 'disconnected', undefined)
    expect([entry.response?.events, entry.cause.coming]).toEqual([all.slice(0, 2), undefined])
    expect(entry).toMatchObject({ firstByteAfter: 15, endedAfter: 20 })
  })

  it('shows no secret when an entry is printed', () => {
    const entry = journalIn().add(
      call('/a', { key: 'sk-a-long-secret', headers: { authorization: 'Bearer sk-a-long-secret' } }),
    )
    expect(entry.request.headers).toEqual([['authorization', 'Bearer sk-a-l***ret']])
    expect(inspect(entry, { showHidden: true, depth: 5 }) + JSON.stringify(entry)).not.toContain(
      'long-secret',
    )
  })
})
