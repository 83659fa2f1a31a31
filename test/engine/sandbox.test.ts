import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/engine/sandbox.ts'

const sandbox = (requests: number): Sandbox =>
  createSandbox({
    name: 'w',
    seed: 's',
    clock: { mode: 'manual', start: 0, speed: 1, wall: () => 0 },
    store: { capacity: 1, statusField: 'status' },
    journal: { entries: 1, bytes: 1, perBody: 0 },
    uploads: { count: 1, size: 1 },
    requests,
  })

describe('requests that have been seen', () => {
  it('are counted, each for itself', () => {
    const requests = sandbox(100)
    const seen = (key: number): number => requests.seen(key)
    expect([1, 2, 1, 1, 2].map(seen)).toEqual([1, 1, 2, 3, 2])
  })

  it('are forgotten when as many others as the bound have come, and never before half as many have', () => {
    for (const requests of [1, 2, 3, 10, 1000]) {
      const within = sandbox(requests)
      const seen = (key: number): number => within.seen(key)
      seen(-1)
      for (let key = 0; key < Math.floor(requests / 2); key++) seen(key)
      expect(seen(-1), `${requests}, half as many others`).toBe(2)
      for (let key = 0; key <= requests; key++) seen(1000 + key)
      expect(seen(-1), `${requests}, more others`).toBe(1)
    }
  })
})
