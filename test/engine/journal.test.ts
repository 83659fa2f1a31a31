import { describe, expect, it } from 'vitest'
import { createJournal, type JournalEntry } from '../../src/engine/journal.ts'

const fields = (path: string, request?: string): Omit<JournalEntry, 'seq'> => ({ at: 0, session: 's', requestId: 'r', operation: 'chat.create', method: 'POST', path, key: undefined, status: 200, request, reply: undefined, decidedBy: undefined, bug: undefined, ended: 'open', events: 0 })

describe('the journal', () => {
  it('keeps calls in order and numbers them', () => {
    const journal = createJournal({ entries: 10, bytes: 1e6, perBody: 1000 })
    journal.add(fields('/a'))
    journal.add(fields('/b'))
    expect(journal.entries().map(({ seq, path }) => [seq, path])).toEqual([[0, '/a'], [1, '/b']])
    expect(journal.total).toBe(2)
  })

  it('drops the oldest over its number, and goes on counting', () => {
    const journal = createJournal({ entries: 3, bytes: 1e6, perBody: 1000 })
    for (let i = 0; i < 10; i++) journal.add(fields(`/${i}`))
    expect(journal.entries().map(({ path }) => path)).toEqual(['/7', '/8', '/9'])
    expect(journal.total).toBe(10)
  })

  it('drops the oldest over its bytes, replies included', () => {
    const journal = createJournal({ entries: 100, bytes: 3000, perBody: 1000 })
    const entries = ['/a', '/b', '/c'].map((path) => journal.add(fields(path, 'x'.repeat(500))))
    expect(journal.entries().length).toBe(3)
    journal.close(entries[2] as JournalEntry, 'completed', 'y'.repeat(1000))
    expect(journal.entries().map(({ path }) => path)).toEqual(['/b', '/c'])
    expect(entries[2]).toMatchObject({ ended: 'completed', reply: 'y'.repeat(1000) })
  })

  it('keeps only the beginning of a long body', () => {
    const journal = createJournal({ entries: 100, bytes: 1e6, perBody: 10 })
    const entry = journal.add(fields('/a', 'x'.repeat(100)))
    journal.close(entry, 'completed', 'y'.repeat(100))
    expect([entry.request?.length, entry.reply?.length]).toEqual([10, 10])
  })
})
