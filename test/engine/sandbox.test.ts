import { describe, expect, it } from 'vitest'
import { createSandbox, evictedClause, type Sandbox } from '../../src/engine/sandbox.ts'

const sandbox = (count: number): Sandbox =>
  createSandbox({
    name: 'w',
    seed: 's',
    clock: { mode: 'manual', start: 0, speed: 1, wall: () => 0 },
    memory: { count },
  })

describe('requests that have been seen', () => {
  it('are counted, each for itself', () => {
    const requests = sandbox(100)
    expect([1, 2, 1, 1, 2].map((key) => requests.seen([key, 0, 0, 0]))).toEqual([1, 1, 2, 3, 2])
  })

  it('are forgotten when as many others as the bound have come', () => {
    for (const count of [2, 3, 10, 1000]) {
      const requests = sandbox(count)
      const seen = (key: number): number => requests.seen([key, 0, 0, 0])
      seen(-1)
      for (let key = 1; key < count; key++) seen(key)
      expect(seen(-1), `${count}, one fewer`).toBe(2)
      for (let key = 1; key <= count; key++) seen(1000 + key)
      expect(seen(-1), `${count}, as many`).toBe(1)
    }
  })
})

describe('a message about something missing', () => {
  it('says how much was evicted, if anything was', () => {
    const small = sandbox(1)
    const clauses = [1, 2, 3].map((key) => {
      small.seen([key, 0, 0, 0])
      return evictedClause(small)
    })
    expect(clauses).toEqual([
      '',
      '; it may have been evicted: this session evicted one item (raise memory.items or memory.bytes)',
      '; it may have been evicted: this session evicted 2 items (raise memory.items or memory.bytes)',
    ])
  })
})
