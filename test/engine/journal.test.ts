import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  createJournal,
  createJournalBudget,
  type Journal,
  type JournalBudget,
} from '../../src/engine/journal.ts'
import type { CallRecord, JournalEntry } from '../../src/engine/journal-entry.ts'

const fields = (path: string, request?: string): CallRecord => ({
  at: 0,
  session: 's',
  requestId: 'r',
  operation: 'chat.create',
  method: 'POST',
  path,
  key: undefined,
  status: 200,
  request,
  decidedBy: undefined,
  bug: undefined,
})

describe('the journal', () => {
  it('keeps calls in order and numbers them', () => {
    const journal = createJournal({ entries: 10, bytes: 1e6, perBody: 1000 })
    journal.add(fields('/a'))
    journal.add(fields('/b'))
    expect(journal.kept().map(({ seq, path }) => [seq, path])).toEqual([
      [0, '/a'],
      [1, '/b'],
    ])
    expect(journal.total).toBe(2)
  })

  it('drops the oldest over its number, and goes on counting', () => {
    const journal = createJournal({ entries: 3, bytes: 1e6, perBody: 1000 })
    for (let i = 0; i < 10; i++) journal.add(fields(`/${i}`))
    expect(journal.kept().map(({ path }) => path)).toEqual(['/7', '/8', '/9'])
    expect(journal.total).toBe(10)
  })

  it('drops the oldest over its bytes, responses included', () => {
    const journal = createJournal({ entries: 100, bytes: 4000, perBody: 1000 })
    const entries = ['/a', '/b', '/c'].map((path) => journal.add(fields(path, 'x'.repeat(500))))
    expect(journal.kept().length).toBe(3)
    journal.close(entries[2] as JournalEntry, 'completed', 'y'.repeat(1000))
    expect(journal.kept().map(({ path }) => path)).toEqual(['/b', '/c'])
    expect(entries[2]).toMatchObject({ ended: 'completed', response: 'y'.repeat(1000) })
  })

  it('keeps only the beginning of a long body', () => {
    const journal = createJournal({ entries: 100, bytes: 1e6, perBody: 10 })
    const entry = journal.add(fields('/a', 'x'.repeat(100)))
    journal.close(entry, 'completed', 'y'.repeat(100))
    expect([entry.request?.length, entry.response?.length]).toEqual([10, 10])
  })

  it('keeps of bytes the text that it would keep of their text', () => {
    const journal = createJournal({ entries: 100, bytes: 1e6, perBody: 10 })
    const responseOf = (response: string | Uint8Array): string | undefined => {
      const entry = journal.add(fields('/a'))
      journal.close(entry, 'completed', response)
      return entry.response
    }
    for (const text of [
      '',
      'plain',
      'plain and long',
      'äöü',
      'ten äöü €',
      '🙂🙂🙂🙂🙂🙂',
      '1€🙂🙂🙂🙂🙂🙂',
      '€'.repeat(30),
    ])
      expect(responseOf(new TextEncoder().encode(text))).toBe(responseOf(text))
  })

  it('keeps no body when none is wanted', () => {
    const journal = createJournal({ entries: 100, bytes: 1e6, perBody: 0 })
    const entry = journal.add({
      ...fields('/a', '{"a":1}'),
      body: { a: 1 },
      knownFields: () => new Set(['b']),
    })
    journal.close(entry, 'completed', 'y'.repeat(100))
    expect([entry.request, entry.response, entry.ignored]).toEqual([undefined, undefined, ['a']])
  })

  it('finds a kept entry by number and by request id', () => {
    const journal = createJournal({ entries: 2, bytes: 1e6, perBody: 10 })
    for (const path of ['/a', '/b', '/c']) journal.add({ ...fields(path), requestId: `req${path}` })
    expect([
      journal.entryOf(2)?.path,
      journal.entryOf('req/b')?.path,
      journal.entryOf(0),
      journal.entryOf('req/a'),
    ]).toEqual(['/c', '/b', undefined, undefined])
  })

  it('tells listeners of each call as it is taken and as it ends, in order and once', () => {
    const journal = createJournal({ entries: 2, bytes: 1e6, perBody: 10 })
    const heard: string[] = []
    const stop = journal.onEntry(({ path }) => heard.push(`entry ${path}`))
    journal.onClose(({ path, ended, response }) => heard.push(`close ${path} ${ended} ${response}`))
    const a = journal.add(fields('/a'))
    const b = journal.add(fields('/b'))
    journal.close(b, 'completed', 'said')
    journal.close(a, 'aborted', undefined)
    journal.close(a, 'completed', 'late')
    stop()
    journal.add(fields('/c'))
    expect(heard).toEqual(['entry /a', 'entry /b', 'close /b completed said', 'close /a aborted undefined'])
  })

  it('writes the response of a stream from its events, for whoever reads it and whenever they do', () => {
    const journal = createJournal({ entries: 9, bytes: 1e6, perBody: 100 })
    const run = { after: 0, head: '{', parts: ['1', '2'], tail: '}' }
    const stream = (more: Partial<CallRecord> = {}): JournalEntry =>
      journal.add({ ...fields('/a'), events: [run], isSentAsItIs: true, ...more })
    const text = 'data: {1}\n\ndata: {2}\n\n'
    const heard = stream()
    const seen = journal.kept()[0]
    journal.close(heard, 'completed', text)
    journal.close(stream(), 'completed', text)
    journal.close(stream(), 'aborted', 'data: {1}\n\n')
    journal.close(stream({ isSentAsItIs: false }), 'completed', 'DATA: {1}\r\n')
    const cut = 'x'.repeat(100)
    journal.close(stream({ events: [{ ...run, head: cut }] }), 'completed', `data: ${cut}{1}\n\n`)
    expect(seen?.response).toBe(text)
    expect(journal.kept().map(({ response }) => response)).toEqual([
      text,
      text,
      'data: {1}\n\n',
      'DATA: {1}\r\n',
      `data: ${cut}`.slice(0, 100),
    ])
    expect(journal.entryOf(1)?.stream.map(({ data }) => data)).toEqual(['{1}', '{2}'])
    expect(Object.keys(journal.entryOf(1) as object)).toContain('response')
  })

  it('counts a response that it writes later as if it held it', () => {
    const events = [{ after: 0, head: '{', parts: ['1', '2'], tail: '}' }]
    const held = (isSentAsItIs: boolean): number => {
      const journal = createJournal({ entries: 9, bytes: 1e6, perBody: 100 })
      journal.close(journal.add({ ...fields('/a'), events, isSentAsItIs }), 'completed', 'y'.repeat(22))
      return journal.held.bytes
    }
    expect(held(true)).toBe(held(false))
  })

  it('shows no secret when an entry is printed', () => {
    const entry = createJournal({ entries: 2, bytes: 1e6, perBody: 10 }).add({
      ...fields('/a'),
      key: 'sk-a-long-secret',
      headers: { authorization: 'Bearer sk-a-long-secret' },
    })
    expect(inspect(entry, { showHidden: true, depth: 5 }) + JSON.stringify(entry)).not.toContain(
      'long-secret',
    )
  })
})

/** A call whose request is so long. */
const sized = (path: string, size: number): CallRecord => fields(path, 'x'.repeat(size))
const journalIn = (budget: JournalBudget, entries = 1000): Journal =>
  createJournal({ entries, bytes: 1e9, perBody: 1e6, budget })
const paths = (journal: Journal): string[] => journal.kept().map(({ path }) => path)
const weightOf = (journal: Journal): number =>
  journal.kept().reduce((sum, entry) => sum + (entry as JournalEntry & { readonly weight: number }).weight, 0)

describe('the journals of several sessions', () => {
  it('hold so much together: what was recorded longest ago goes first, in whatever journal it is', () => {
    const budget = createJournalBudget(10_000)
    const [a, b] = [journalIn(budget), journalIn(budget)]
    for (const [journal, path] of [
      [a, '/a0'],
      [b, '/b0'],
      [a, '/a1'],
      [a, '/a2'],
      [b, '/b1'],
    ] as const)
      journal.add(sized(path, 1300))
    expect([paths(a), paths(b)]).toEqual([
      ['/a0', '/a1', '/a2'],
      ['/b0', '/b1'],
    ])
    b.add(sized('/b2', 2500))
    expect([paths(a), paths(b)]).toEqual([
      ['/a1', '/a2'],
      ['/b1', '/b2'],
    ])
    expect(budget.held).toBe(weightOf(a) + weightOf(b))
  })

  it('count what responds add, and keep the newest call of all however large it is', () => {
    const budget = createJournalBudget(5000)
    const [a, b] = [journalIn(budget), journalIn(budget)]
    a.add(sized('/a0', 1000))
    const entry = b.add(sized('/b0', 1000))
    b.close(entry, 'completed', 'y'.repeat(50_000))
    expect([paths(a), paths(b), a.total]).toEqual([[], ['/b0'], 1])
    expect(budget.held).toBe(weightOf(b))
  })

  it('make room when a session is over, whether or not something still comes to it', () => {
    const budget = createJournalBudget(10_000)
    const [a, b] = [journalIn(budget), journalIn(budget)]
    const open = a.add(sized('/a0', 8000))
    a.leave()
    a.leave()
    a.close(open, 'disconnected', 'z'.repeat(8000))
    a.add(sized('/a1', 8000))
    for (const path of ['/b0', '/b1', '/b2', '/b3', '/b4']) b.add(sized(path, 1300))
    expect([paths(a), paths(b)]).toEqual([
      ['/a0', '/a1'],
      ['/b0', '/b1', '/b2', '/b3', '/b4'],
    ])
    expect(budget.held).toBe(weightOf(b))
  })

  it('agree with what they hold, however calls, ends, drops of their own and ends of sessions come', () => {
    const budget = createJournalBudget(300_000)
    const live: Journal[] = []
    let most = 0
    // A walk that is the same in every run.
    let dice = 7
    const roll = (sides: number): number => (dice = (dice * 48_271) % 2_147_483_647) % sides
    for (let step = 0; step < 20_000; step++) {
      if (live.length < 20) live.push(journalIn(budget, 5 + roll(40)))
      const journal = live[roll(live.length)] as Journal
      const entry = journal.add(sized(`/${step}`, roll(3000)))
      if (roll(3) > 0) journal.close(entry, 'completed', 'y'.repeat(roll(5000)))
      if (roll(200) === 0) (live.splice(live.indexOf(journal), 1)[0] as Journal).leave()
      most = Math.max(most, budget.held)
    }
    expect(most).toBeLessThanOrEqual(300_000)
    expect(budget.held).toBe(live.reduce((sum, journal) => sum + weightOf(journal), 0))
    // No more is given up than must be.
    expect(budget.held).toBeGreaterThan(280_000)
  })

  it.each([
    ['one journal that drops by its own number', 1, 1e12],
    ['many journals that fit', 200, 1e12],
    ['many journals that drop for each other', 200, 200_000],
  ])('cost a call the same however many there are: %s', (_, count, bytes) => {
    const budget = createJournalBudget(bytes)
    const journals = Array.from({ length: count }, () => journalIn(budget, 50))
    const calls = 20_000
    for (let call = 0; call < calls; call++) (journals[call % count] as Journal).add(sized('/a', 100))
    expect(budget.looked).toBeLessThan(3 * calls)
  })
})
