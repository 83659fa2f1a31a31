import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Clock, defaultStart } from '../../src/engine/clock.ts'

const manual = () => new Clock({ mode: 'manual', start: 1000, speed: 1, wall: () => 0 })

describe('a manual clock', () => {
  it('stands still until it is advanced', () => {
    const clock = manual()
    expect(clock.now()).toBe(1000)
    clock.advanceTo(1500)
    expect(clock.now()).toBe(1500)
  })

  it('runs tasks in order of due time, then of scheduling, each at its own time', () => {
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
    expect(() => clock.advanceTo(1999)).toThrow(/cannot go backwards \(now 2000, requested 1999\)/)
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
    const clock = new Clock({ mode: 'real', start: 1000, speed: 10, wall: () => wall })
    wall += 7
    expect(clock.now()).toBe(1070)
  })

  it('can be advanced ahead of the wall, and goes on from there', () => {
    let wall = 0
    const clock = new Clock({ mode: 'real', start: 1000, speed: 1, wall: () => wall })
    clock.advanceTo(5000)
    wall = 10
    expect(clock.now()).toBe(5010)
  })
})

it('manual and auto start at a constant', () => {
  expect(new Date(defaultStart).toISOString()).toBe('2026-01-01T00:00:00.000Z')
})

const hour = 3_600_000

/** A wall clock that jumps, as machines' clocks do when they are set or wake up. */
function realClock() {
  const wall = { now: 10 * hour }
  return { wall, clock: new Clock({ mode: 'real', start: 0, speed: 1, wall: () => wall.now }) }
}

describe('a wall clock that is set back', () => {
  it('takes no virtual time with it, and what is scheduled comes as long after as it should', () => {
    const { wall, clock } = realClock()
    const ran: number[] = []
    clock.at(1000, () => ran.push(clock.now()))
    wall.now += 400
    expect(clock.now()).toBe(400)
    wall.now -= hour
    expect(clock.now()).toBe(400)
    wall.now += 599
    expect([clock.run(), clock.now()]).toEqual([0, 999])
    wall.now += 1
    expect([clock.run(), ran]).toEqual([1, [1000]])
    wall.now += hour
    expect([clock.run(), ran]).toEqual([0, [1000]])
  })

  it('does the same to a clock that was frozen meanwhile', () => {
    const { wall, clock } = realClock()
    clock.freeze()
    wall.now -= hour
    clock.resume()
    wall.now += 5
    expect(clock.now()).toBe(5)
  })
})

describe('a wall clock that is set forward', () => {
  it('takes virtual time with it; what falls due happens once', () => {
    const { wall, clock } = realClock()
    let ran = 0
    clock.at(1000, () => ran++)
    wall.now += hour
    expect([clock.run(), clock.run(), ran, clock.now()]).toEqual([1, 0, 1, hour])
  })
})
