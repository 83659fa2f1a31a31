import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ageOf, isFinished, type Resource, stateOf } from '../../src/engine/resource.ts'
import { type FiredChange, Store } from '../../src/engine/store.ts'
import type { Timeline } from '../../src/engine/timeline.ts'

const newStore = (capacity = 100): Store => new Store({ capacity, statusField: 'status' })
const timeline = [
  { at: 0, patch: { status: 'waiting' } },
  { at: 100, patch: { status: 'running' } },
  { at: 300, patch: { status: 'done' } },
]
const job = (store: Store, id: string, bornAt = 0, owner = 'key', course: Timeline = timeline) =>
  store.add({ kind: 'job', id, owner, bornAt, facts: {}, timeline: course })

describe('resources', () => {
  it('are found by kind and id, and listed oldest first', () => {
    const store = newStore()
    const a = job(store, 'a')
    job(store, 'b', 5)
    expect(store.find('job', 'a')).toBe(a)
    expect(store.find('video', 'a')).toBeUndefined()
    expect(store.list('job').map(({ id }) => id)).toEqual(['a', 'b'])
    expect(store.remove('job', 'a')).toBe(true)
    expect(store.remove('job', 'a')).toBe(false)
    expect(store.size).toBe(1)
  })

  it('show what their timeline says at their own time', () => {
    const store = newStore()
    const a = job(store, 'a', 1000)
    expect(stateOf(a, 1099).state).toEqual({ status: 'waiting' })
    expect(stateOf(a, 1100).state).toEqual({ status: 'running' })
    store.skipAhead(a, 200, 1100)
    expect(ageOf(a, 1100)).toBe(300)
    expect(isFinished(a, 1100)).toBe(true)
  })

  it('count as active for their owner until they have ended; a stuck one stays', () => {
    const done = ({ state }: { state: Readonly<Record<string, unknown>> }): boolean =>
      state['status'] === 'done'
    const store = newStore()
    job(store, 'a', 0, 'alice')
    job(store, 'b', 200, 'alice')
    job(store, 'c', 0, 'bob')
    expect(store.active('job', 'alice', 299, done).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(store.active('job', 'alice', 300, done).map(({ id }) => id)).toEqual(['b'])
    expect(store.active('job', 'alice', 500, done)).toEqual([])
    job(store, 'stuck', 0, 'alice', timeline.slice(0, 2))
    expect(store.active('job', 'alice', 1e9, done).map(({ id }) => id)).toEqual(['stuck'])
    // Without a look at them, those that a look has found to be over are left out, and no others.
    expect([store.maxActive('job', 'alice'), store.maxActive('job', 'nobody')]).toEqual([1, 0])
  })

  it('over the capacity the oldest finished one goes, and is remembered as evicted', () => {
    const store = newStore(2)
    job(store, 'running', 1000)
    job(store, 'finished', 900)
    job(store, 'third', 1250)
    expect(store.find('job', 'finished')).toBe('evicted')
    expect(store.find('job', 'running')).not.toBe('evicted')
    expect(store.find('job', 'never')).toBeUndefined()
    expect(store.size).toBe(2)
  })

  it('what was evicted is remembered for ten thousand ids at least, and the others are counted', () => {
    const store = newStore(1)
    for (let index = 0; index <= 25_000; index++) job(store, `${index}`, 1000)
    expect([9_999, 10_000, 24_999].map((id) => store.find('job', `${id}`))).toEqual([
      undefined,
      'evicted',
      'evicted',
    ])
    expect(store.evictedUnremembered).toBe(10_000)
  })

  it('however many run before it, a finished one goes before any that runs', () => {
    const evicted: string[] = []
    const store = new Store({ capacity: 500, statusField: 'status', onEvict: (what) => evicted.push(what) })
    for (let index = 0; index < 499; index++) job(store, `runs ${index}`, 1000)
    job(store, 'done', 0)
    job(store, 'new', 1000)
    expect(store.find('job', 'done')).toBe('evicted')
    const moved = store.find('job', 'runs 300') as Resource
    store.skipAhead(moved, 10_000, 1000)
    job(store, 'newer', 1000)
    job(store, 'newest', 1000)
    expect(['runs 300', 'runs 0', 'runs 1'].map((id) => store.find('job', id) === 'evicted')).toEqual([
      true,
      true,
      false,
    ])
    expect(evicted).toEqual(['finishedJobs', 'finishedJobs', 'runningJobs'])
  })

  it('full of what has not ended, looks at all of it once, then at the new ones only, and the oldest goes', () => {
    const store = newStore(5000)
    let looks = 0
    const watched = new Proxy(timeline, {
      get: (target, name) => (looks++, Reflect.get(target, name) as unknown),
    })
    for (let index = 0; index < 5000; index++) job(store, `${index}`, 0, 'key', watched)
    job(store, 'one more', 10)
    looks = 0
    for (let index = 0; index < 100; index++) job(store, `more ${index}`, 10)
    expect(looks).toBe(0)
    expect([0, 100, 101].map((id) => store.find('job', `${id}`) === 'evicted')).toEqual([true, true, false])
  })
})

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
