/** A wall clock that jumps, as machines' clocks do when they are set or wake up. */
import { describe, expect, it } from 'vitest'
import { createClock } from '../../src/engine/clock.ts'

const hour = 3_600_000

function realClock() {
  const wall = { now: 10 * hour }
  return { wall, clock: createClock({ mode: 'real', start: 0, speed: 1, wall: () => wall.now }) }
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
