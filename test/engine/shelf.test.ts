import { describe, expect, it } from 'vitest'
import { createShelf } from '../../src/engine/bounded-map.ts'

const shelf = (options: Partial<{ count: number; size: number }> = {}) =>
  createShelf<string>({ count: 3, size: 100, ...options })

describe('a shelf', () => {
  it('gives back what was put there by name', () => {
    const things = shelf()
    things.put('a', 'one', 10)
    things.put('b', 'two', 20)
    expect([things.find('a'), things.find('b'), things.find('c')]).toEqual(['one', 'two', undefined])
    expect([things.count, things.size]).toEqual([2, 30])
  })

  it('holds one thing of a name', () => {
    const things = shelf()
    things.put('a', 'one', 10)
    things.put('a', 'two', 90)
    expect([things.find('a'), things.count, things.size]).toEqual(['two', 1, 90])
  })

  it('drops what was put there longest ago when the size is over, and no more than needed', () => {
    const things = shelf()
    for (const name of ['a', 'b', 'c']) things.put(name, name, 30)
    things.put('d', 'd', 40)
    expect(['a', 'b', 'c', 'd'].map(things.find)).toEqual(['dropped', 'b', 'c', 'd'])
    expect(things.size).toBe(100)
  })

  it('drops what was put there longest ago when the number is over', () => {
    const things = shelf()
    for (const name of ['a', 'b', 'c', 'd']) things.put(name, name, 0)
    expect([things.find('a'), things.count]).toEqual(['dropped', 3])
  })

  it('takes what is put there again for new', () => {
    const things = shelf()
    for (const name of ['a', 'b', 'c', 'a', 'd']) things.put(name, name, 0)
    expect(['a', 'b'].map(things.find)).toEqual(['a', 'dropped'])
  })

  it('no longer calls dropped what was put there again', () => {
    const things = shelf({ count: 1 })
    for (const name of ['a', 'b', 'a']) things.put(name, name, 0)
    expect(['a', 'b'].map(things.find)).toEqual(['a', 'dropped'])
  })

  it('takes a thing as large as itself, and none larger', () => {
    const things = shelf()
    things.put('a', 'a', 50)
    things.put('b', 'b', 100)
    expect(['a', 'b'].map(things.find)).toEqual(['dropped', 'b'])
    expect(() => things.put('c', 'c', 101)).toThrow('shelf: 101 is more than the whole shelf holds (100)')
    expect(things.find('b')).toBe('b')
  })
})
