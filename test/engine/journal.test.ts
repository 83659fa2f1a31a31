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
})
