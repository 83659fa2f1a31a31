import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bound } from '../../src/engine/bounded-map.ts'
import { type FiredChange, Store } from '../../src/engine/store.ts'
import type { Timeline } from '../../src/engine/timeline.ts'

const newStore = (count = 100): Store => new Store(new Bound({ count }))
const timeline = [
  { at: 0, patch: { status: 'waiting' } },
  { at: 100, patch: { status: 'running' } },
  { at: 300, patch: { status: 'done' } },
]
const job = (store: Store, id: string, bornAt = 0, owner = 'key', course: Timeline = timeline) =>
  store.add({ kind: 'job', id, owner, bornAt, facts: {}, timeline: course })

describe('moving time', () => {
  const names = (fired: readonly FiredChange[]): string[] =>
    fired.map(({ id, from, to }) => `${id}: ${String(from)} → ${String(to)}`)

  it('lists each change once, in order of time', () => {
    const store = newStore()
    job(store, 'a', 0)
    job(store, 'b', 50)
    expect(names(store.changesBetween(50, 300, 10).fired)).toEqual([
      'a: waiting → running',
      'b: waiting → running',
      'a: running → done',
    ])
    expect(names(store.changesBetween(300, 1000, 10).fired)).toEqual(['b: running → done'])
    expect(store.changesBetween(1000, 9000, 10)).toEqual({ fired: [], more: 0 })
  })

  it('lists changes of one time in the order in which the resources were made, wherever an earlier look has stopped', () => {
    const timeline = (...at: readonly number[]): Timeline =>
      at.map((when) => ({ at: when, patch: { status: when } }))
    const looked = (...stops: readonly number[]): string[] => {
      const store = newStore()
      job(store, 'first', 0, 'key', timeline(0, 60, 100))
      job(store, 'second', 0, 'key', timeline(0, 100))
      let from = 0
      return stops.flatMap((to) => {
        const { fired } = store.changesBetween(from, to, 10)
        from = to
        return names(fired)
      })
    }
    expect(looked(100)).toEqual(['first: 0 → 60', 'first: 60 → 100', 'second: 0 → 100'])
    expect(looked(60, 100)).toEqual(looked(100))
  })

  it('lists no more than asked and counts the rest', () => {
    const store = newStore()
    for (let i = 0; i < 10; i++) job(store, `j${i}`)
    const { fired, more } = store.changesBetween(0, 1000, 5)
    expect(fired.length).toBe(5)
    expect(more).toBe(15)
  })

  it('knows the next change; what a skip passed over is not due any more', () => {
    const store = newStore()
    const a = job(store, 'a', 0)
    expect(store.nextDue(0)).toBe(100)
    store.skipAhead(a, 100, 0)
    expect(store.nextDue(0)).toBe(200)
    store.append(a, { at: 150, patch: { status: 'paused' } })
    expect(store.nextDue(0)).toBe(50)
    store.remove('job', 'a')
    expect(store.nextDue(0)).toBeUndefined()
  })

  it('says notFound for a resource that vanishes', () => {
    const store = newStore()
    job(store, 'a', 0, 'key', [
      { at: 0, patch: { status: 'waiting' } },
      { at: 10, notFound: true },
    ])
    expect(names(store.changesBetween(0, 10, 10).fired)).toEqual(['a: waiting → notFound'])
  })

  it('any split of an advance passes the same changes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 15 }),
        fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 8 }),
        (births, stops) => {
          const run = (targets: readonly number[]): string[] => {
            const store = newStore()
            for (const [index, bornAt] of births.entries()) job(store, `j${index}`, bornAt)
            const all: FiredChange[] = []
            let from = -1
            for (const to of targets) {
              all.push(...store.changesBetween(from, to, 1000).fired)
              from = to
            }
            return all.map(({ at, id, to }) => `${at} ${id} ${String(to)}`)
          }
          expect(run([...stops, 1000].sort((a, b) => a - b))).toEqual(run([1000]))
        },
      ),
    )
  })
})
