import { describe, expect, it } from 'vitest'
import { Bound, BoundedMap, type Limits } from '../../src/engine/bounded-map.ts'

const mapOf = (limits: Limits = {}): BoundedMap<string> =>
  new BoundedMap<string>({ count: 3, size: 100, ...limits })
const keysOf = (map: BoundedMap<string>): string => [...map.entries()].map(([key]) => key).join('')
const write = (map: BoundedMap<string>, keys: string, size = 0): void => {
  for (const key of keys) map.set(key, key, size)
}

describe('a bounded map', () => {
  it('gives back what was written by key, and holds one value of a key', () => {
    const map = mapOf()
    map.set('a', 'one', 10)
    map.set('b', 'two', 20)
    map.set('a', 'three', 70)
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual(['three', 'two', undefined])
    expect([map.count, map.size]).toEqual([2, 90])
  })

  it.each<[string, (map: BoundedMap<string>) => void, string]>([
    ['what was written longest ago when the number is over', (map) => write(map, 'abcd'), 'bcd'],
    [
      'no more than needed when the size is over',
      (map) => (write(map, 'abc', 30), map.set('d', 'd', 40)),
      'bcd',
    ],
    [
      'all others for a value as large as the bound',
      (map) => (write(map, 'ab', 10), map.set('c', 'c', 100)),
      'c',
    ],
    ['all others for a value that is larger', (map) => (write(map, 'ab', 10), map.set('c', 'c', 101)), 'c'],
    [
      'others when a value grows, which keeps its age',
      (map) => (write(map, 'abc', 30), map.resize('b', 60)),
      'bc',
    ],
    ['what is written again last', (map) => write(map, 'abcad'), 'cad'],
    [
      'what is used last, unlike what is only read',
      (map) => (write(map, 'abc'), map.use('a'), map.get('b'), write(map, 'd')),
      'cad',
    ],
    [
      'nothing for what was deleted',
      (map) => (write(map, 'abc', 30), map.delete('a'), write(map, 'd', 40)),
      'bcd',
    ],
    ['nothing for what was cleared', (map) => (write(map, 'abc', 30), map.clear(), write(map, 'd', 90)), 'd'],
  ])('evicts %s', (_title, act, kept) => {
    const map = mapOf()
    act(map)
    expect(keysOf(map)).toBe(kept)
  })
})

describe('maps that share a bound', () => {
  it('evict the oldest of all, in whatever map it is, count it, and tell its map', () => {
    let heard = 0
    const bound = new Bound({ count: 3, onEvict: () => heard++ })
    const gone: string[] = []
    const a = new BoundedMap<string>(bound, (value) => gone.push(value))
    const b = new BoundedMap<string>(bound)
    write(a, 'xy')
    write(b, 'x')
    write(a, 'z')
    write(b, 'y')
    expect([keysOf(a), keysOf(b), gone]).toEqual(['z', 'xy', ['x', 'y']])
    expect([bound.count, bound.evicted, heard]).toEqual([3, 2, 2])
  })

  it('add up to a total until they leave it', () => {
    const total = { size: 0 }
    const [one, other] = [new Bound({ total }), new Bound({ total })]
    const map = new BoundedMap<string>(one)
    write(map, 'ab', 10)
    write(new BoundedMap<string>(other), 'a', 5)
    map.delete('a')
    expect(total.size).toBe(15)
    expect([other.evictOldest(), other.evictOldest(), total.size]).toEqual([true, false, 10])
    one.leave()
    write(map, 'c', 50)
    expect([total.size, one.size]).toEqual([0, 60])
  })

  it('agree with what they hold, however values come, grow and go', () => {
    const total = { size: 0 }
    const bounds = Array.from({ length: 5 }, () => new Bound({ count: 50, size: 30_000, total }))
    const maps = bounds.map((bound) => new BoundedMap<string, number>(bound))
    // A walk that is the same in every run.
    let dice = 7
    const roll = (sides: number): number => (dice = (dice * 48_271) % 2_147_483_647) % sides
    for (let step = 0; step < 20_000; step++) {
      const map = maps[roll(5)] as BoundedMap<string, number>
      map.set(roll(200), 'x', roll(3000))
      if (roll(3) === 0) map.resize(roll(200), roll(5000))
      if (roll(5) === 0) map.delete(roll(200))
      for (const { count, size } of bounds) expect(count <= 50 && size <= 30_000).toBe(true)
    }
    expect(bounds.map(({ size }) => size)).toEqual(maps.map(({ size }) => size))
    expect(total.size).toBe(bounds.reduce((sum, { size }) => sum + size, 0))
  })
})
