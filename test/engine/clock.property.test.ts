import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClock, defaultStart } from '../../src/engine/clock.ts'

const manual = () => createClock({ mode: 'manual', start: 1000, speed: 1, wall: () => 0 })

describe('a manual clock', () => {
  it('stands still until it is advanced', () => {
    const clock = manual()
    expect(clock.now()).toBe(1000)
    clock.advanceTo(1500)
    expect(clock.now()).toBe(1500)
  })

  it('runs tasks in order of due instant, then of scheduling, each at its own time', () => {
    const clock = manual()
    const ran: [string, number][] = []
    clock.at(1300, () => ran.push(['late', clock.now()]))
    clock.at(1100, () => ran.push(['first', clock.now()]))
    clock.at(1100, () => ran.push(['second', clock.now()]))
    expect(clock.advanceTo(2000)).toBe(3)
    expect(ran).toEqual([
      ['first', 1100],
      ['second', 1100],
      ['late', 1300],
    ])
    expect(clock.now()).toBe(2000)
  })

  it('runs what a task schedules within the same advance', () => {
    const clock = manual()
    const ran: number[] = []
    clock.at(1100, () => clock.at(1200, () => ran.push(clock.now())))
    clock.advanceTo(1200)
    expect(ran).toEqual([1200])
  })

  it('does not run what was cancelled, and counts only what waits', () => {
    const clock = manual()
    const cancel = clock.at(1100, () => expect.unreachable())
    clock.at(1200, () => {})
    cancel()
    cancel()
    expect(clock.pending).toBe(1)
    expect(clock.nextDue()).toBe(1200)
    expect(clock.advanceTo(1300)).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it('never goes backwards', () => {
    const clock = manual()
    clock.advanceTo(2000)
    expect(() => clock.advanceTo(1999)).toThrow(/does not go backwards \(now 2000, asked for 1999\)/)
  })

  it('tells the driver when something is scheduled', () => {
    const clock = manual()
    let told = 0
    clock.onSchedule = () => told++
    clock.at(1100, () => {})
    expect(told).toBe(1)
  })

  it('any split of an advance runs the same tasks in the same order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 10 }),
        (dues, stops) => {
          const run = (targets: readonly number[]): number[] => {
            const clock = manual()
            const order: number[] = []
            for (const [index, due] of dues.entries()) clock.at(1000 + due, () => order.push(index))
            for (const target of targets) clock.advanceTo(1000 + target)
            return order
          }
          expect(run([...stops, 1000].sort((a, b) => a - b))).toEqual(run([1000]))
        },
      ),
    )
  })
})

describe('a real clock', () => {
  it('follows the wall clock, times its speed', () => {
    let wall = 50
    const clock = createClock({ mode: 'real', start: 1000, speed: 10, wall: () => wall })
    wall += 7
    expect(clock.now()).toBe(1070)
  })

  it('does not follow a wall clock that is set back', () => {
    let wall = 50
    const clock = createClock({ mode: 'real', start: 1000, speed: 1, wall: () => wall })
    wall = 150
    expect(clock.now()).toBe(1100)
    wall = 20
    expect(clock.now()).toBe(1100)
  })

  it('can be advanced ahead of the wall, and goes on from there', () => {
    let wall = 0
    const clock = createClock({ mode: 'real', start: 1000, speed: 1, wall: () => wall })
    clock.advanceTo(5000)
    wall = 10
    expect(clock.now()).toBe(5010)
  })

  it('runs what is due when its driver says so', () => {
    let wall = 0
    const clock = createClock({ mode: 'real', start: 1000, speed: 1, wall: () => wall })
    let ran = false
    clock.at(1005, () => {
      ran = true
    })
    expect(clock.run()).toBe(0)
    wall = 5
    expect(clock.run()).toBe(1)
    expect(ran).toBe(true)
  })
})

it('manual and auto start at a constant', () => {
  expect(new Date(defaultStart).toISOString()).toBe('2026-01-01T00:00:00.000Z')
})
