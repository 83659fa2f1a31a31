import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createJournal } from '../../src/engine/journal.ts'
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
    expect(journal.entries().map(({ seq, path }) => [seq, path])).toEqual([
      [0, '/a'],
      [1, '/b'],
    ])
    expect(journal.total).toBe(2)
  })

  it('drops the oldest over its number, and goes on counting', () => {
    const journal = createJournal({ entries: 3, bytes: 1e6, perBody: 1000 })
    for (let i = 0; i < 10; i++) journal.add(fields(`/${i}`))
    expect(journal.entries().map(({ path }) => path)).toEqual(['/7', '/8', '/9'])
    expect(journal.total).toBe(10)
  })

  it('drops the oldest over its bytes, replies included', () => {
    const journal = createJournal({ entries: 100, bytes: 4000, perBody: 1000 })
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

  it('keeps no body when none is wanted', () => {
    const journal = createJournal({ entries: 100, bytes: 1e6, perBody: 0 })
    const entry = journal.add({
      ...fields('/a', '{"a":1}'),
      body: { a: 1 },
      knownFields: () => new Set(['b']),
    })
    journal.close(entry, 'completed', 'y'.repeat(100))
    expect([entry.request, entry.reply, entry.ignored]).toEqual([undefined, undefined, ['a']])
  })

  it('finds a kept entry by number and by request id', () => {
    const journal = createJournal({ entries: 2, bytes: 1e6, perBody: 10 })
    for (const path of ['/a', '/b', '/c']) journal.add({ ...fields(path), requestId: `req${path}` })
    expect([
      journal.find(2)?.path,
      journal.find('req/b')?.path,
      journal.find(0),
      journal.find('req/a'),
    ]).toEqual(['/c', '/b', undefined, undefined])
  })

  it('tells listeners of each call as it is taken and as it ends, in order and once', () => {
    const journal = createJournal({ entries: 2, bytes: 1e6, perBody: 10 })
    const heard: string[] = []
    const stop = journal.onEntry(({ path }) => heard.push(`entry ${path}`))
    journal.onClose(({ path, ended, reply }) => heard.push(`close ${path} ${ended} ${reply}`))
    const a = journal.add(fields('/a'))
    const b = journal.add(fields('/b'))
    journal.close(b, 'completed', 'said')
    journal.close(a, 'aborted', undefined)
    journal.close(a, 'completed', 'late')
    stop()
    journal.add(fields('/c'))
    expect(heard).toEqual(['entry /a', 'entry /b', 'close /b completed said', 'close /a aborted undefined'])
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
