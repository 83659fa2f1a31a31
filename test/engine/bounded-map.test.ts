import { describe, expect, it } from 'vitest'
import { BoundedMap, type Bounds } from '../../src/engine/bounded-map.ts'

const mapOf = (bounds: Partial<Bounds> = {}): BoundedMap<string> =>
  new BoundedMap<string>({ count: 3, size: 100, rememberEvicted: 10, ...bounds })

/** What a caller can learn of some keys. */
const seen = (map: BoundedMap<string>, ...keys: string[]): (string | undefined)[] =>
  keys.map((key) => map.get(key) ?? (map.wasEvicted(key) ? 'evicted' : undefined))

describe('a bounded map', () => {
  it('gives back what was written by key', () => {
    const map = mapOf()
    map.set('a', 'one', 10)
    map.set('b', 'two', 20)
    expect(seen(map, 'a', 'b', 'c')).toEqual(['one', 'two', undefined])
    expect([map.count, map.size]).toEqual([2, 30])
  })

  it('holds one value of a key', () => {
    const map = mapOf()
    map.set('a', 'one', 10)
    map.set('a', 'two', 90)
    expect([map.get('a'), map.count, map.size]).toEqual(['two', 1, 90])
  })

  it('evicts what was written longest ago when the size is over, and no more than needed', () => {
    const map = mapOf()
    for (const key of ['a', 'b', 'c']) map.set(key, key, 30)
    map.set('d', 'd', 40)
    expect(seen(map, 'a', 'b', 'c', 'd')).toEqual(['evicted', 'b', 'c', 'd'])
    expect(map.size).toBe(100)
  })

  it('evicts what was written longest ago when the number is over', () => {
    const map = mapOf()
    for (const key of ['a', 'b', 'c', 'd']) map.set(key, key)
    expect([...seen(map, 'a'), map.count]).toEqual(['evicted', 3])
  })

  it('takes what is written again for new', () => {
    const map = mapOf()
    for (const key of ['a', 'b', 'c', 'a', 'd']) map.set(key, key)
    expect(seen(map, 'a', 'b')).toEqual(['a', 'evicted'])
    expect([...map.entries()].map(([key]) => key)).toEqual(['c', 'a', 'd'])
  })

  it('takes what is used for new, and not what is only read', () => {
    const map = mapOf()
    for (const key of ['a', 'b', 'c']) map.set(key, key, 10)
    expect([map.use('a'), map.get('b'), map.use('z')]).toEqual(['a', 'b', undefined])
    map.set('d', 'd', 10)
    expect([...map.values()]).toEqual(['c', 'a', 'd'])
    expect(map.size).toBe(30)
  })

  it('no longer calls evicted what was written again', () => {
    const map = mapOf({ count: 1 })
    for (const key of ['a', 'b', 'a']) map.set(key, key)
    expect(seen(map, 'a', 'b')).toEqual(['a', 'evicted'])
  })

  it('remembers at least as many evicted keys as it was asked to, and counts the others', () => {
    const map = mapOf({ count: 1, rememberEvicted: 2 })
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) map.set(key, key)
    expect(seen(map, 'a', 'b', 'c', 'd', 'e')).toEqual([
      undefined,
      undefined,
      'evicted',
      'evicted',
      'evicted',
    ])
    expect(map.evictedUnremembered).toBe(2)
    expect(seen(new BoundedMap<string>({ count: 1 }), 'a')).toEqual([undefined])
  })

  it('keeps a value as large as its bound, and none larger', () => {
    const map = mapOf()
    map.set('a', 'a', 50)
    map.set('b', 'b', 100)
    expect(seen(map, 'a', 'b')).toEqual(['evicted', 'b'])
    expect(() => map.set('c', 'c', 101)).toThrow('bounded-map: a value of size 101 cannot be kept in 100')
    expect(map.get('b')).toBe('b')
  })

  it('gives back the room of what is deleted or cleared, and calls neither evicted', () => {
    const map = mapOf()
    map.set('a', 'a', 60)
    map.set('b', 'b', 40)
    map.delete('a')
    expect([map.size, ...seen(map, 'a', 'b')]).toEqual([40, undefined, 'b'])
    map.clear()
    expect([map.count, map.size, ...seen(map, 'b')]).toEqual([0, 0, undefined])
  })
})
