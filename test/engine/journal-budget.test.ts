import { describe, expect, it } from 'vitest'
import {
  createJournal,
  createJournalBudget,
  type Journal,
  type JournalBudget,
} from '../../src/engine/journal.ts'
import type { CallRecord, JournalEntry } from '../../src/engine/journal-entry.ts'

const record = (path: string, size: number): CallRecord => ({
  at: 0,
  session: 's',
  requestId: 'r',
  operation: 'chat.create',
  method: 'POST',
  path,
  key: undefined,
  status: 200,
  request: 'x'.repeat(size),
  decidedBy: undefined,
  bug: undefined,
})
const journalIn = (budget: JournalBudget, entries = 1000): Journal =>
  createJournal({ entries, bytes: 1e9, perBody: 1e6, budget })
const paths = (journal: Journal): string[] => journal.entries().map(({ path }) => path)
const weightOf = (journal: Journal): number =>
  journal
    .entries()
    .reduce((sum, entry) => sum + (entry as JournalEntry & { readonly weight: number }).weight, 0)

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
      journal.add(record(path, 1300))
    expect([paths(a), paths(b)]).toEqual([
      ['/a0', '/a1', '/a2'],
      ['/b0', '/b1'],
    ])
    b.add(record('/b2', 2500))
    expect([paths(a), paths(b)]).toEqual([
      ['/a1', '/a2'],
      ['/b1', '/b2'],
    ])
    expect(budget.held).toBe(weightOf(a) + weightOf(b))
  })

  it('count what replies add, and keep the newest call of all however large it is', () => {
    const budget = createJournalBudget(5000)
    const [a, b] = [journalIn(budget), journalIn(budget)]
    a.add(record('/a0', 1000))
    const entry = b.add(record('/b0', 1000))
    b.close(entry, 'completed', 'y'.repeat(50_000))
    expect([paths(a), paths(b), a.total]).toEqual([[], ['/b0'], 1])
    expect(budget.held).toBe(weightOf(b))
  })

  it('make room when a session is over, whether or not something still comes to it', () => {
    const budget = createJournalBudget(10_000)
    const [a, b] = [journalIn(budget), journalIn(budget)]
    const open = a.add(record('/a0', 8000))
    a.leave()
    a.leave()
    a.close(open, 'cut', 'z'.repeat(8000))
    a.add(record('/a1', 8000))
    for (const path of ['/b0', '/b1', '/b2', '/b3', '/b4']) b.add(record(path, 1300))
    expect([paths(a), paths(b)]).toEqual([
      ['/a0', '/a1'],
      ['/b0', '/b1', '/b2', '/b3', '/b4'],
    ])
    expect(budget.held).toBe(weightOf(b))
  })

  it('agree with what they hold, however calls, ends, drops of their own and ends of sessions come', () => {
    const budget = createJournalBudget(300_000)
    const live: Journal[] = []
    // A walk that is the same in every run.
    let dice = 7
    const roll = (sides: number): number => (dice = (dice * 48_271) % 2_147_483_647) % sides
    for (let step = 0; step < 20_000; step++) {
      if (live.length < 20) live.push(journalIn(budget, 5 + roll(40)))
      const journal = live[roll(live.length)] as Journal
      const entry = journal.add(record(`/${step}`, roll(3000)))
      if (roll(3) > 0) journal.close(entry, 'completed', 'y'.repeat(roll(5000)))
      if (roll(200) === 0) (live.splice(live.indexOf(journal), 1)[0] as Journal).leave()
      expect(budget.held).toBeLessThanOrEqual(300_000)
    }
    expect(budget.held).toBe(live.reduce((sum, journal) => sum + weightOf(journal), 0))
    // No more is given up than must be.
    expect(budget.held).toBeGreaterThan(280_000)
  })

  it.each([
    ['one journal that drops by its own number', 1, 1e12],
    ['many journals that fit', 1000, 1e12],
    ['many journals that drop for each other', 1000, 1_000_000],
  ])('cost a call the same however many there are: %s', (_, count, bytes) => {
    const budget = createJournalBudget(bytes)
    const journals = Array.from({ length: count }, () => journalIn(budget, 50))
    const calls = 100_000
    for (let call = 0; call < calls; call++) (journals[call % count] as Journal).add(record('/a', 100))
    expect(budget.looked).toBeLessThan(3 * calls)
  })
})
