/** The axis of the page's timeline. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobLanes } from '../../src/ui/timeline/lanes.ts'
import { createScale, durationText } from '../../src/ui/timeline/scale.ts'

const times = fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { minLength: 1, maxLength: 50 })

describe('the axis', () => {
  it('keeps the order of times and fits its width, whatever happens when', () => {
    fc.assert(
      fc.property(times, (list) => {
        const scale = createScale(list, 800)
        const xs = [...list].sort((a, b) => a - b).map(scale.x)
        expect(xs).toEqual([...xs].sort((a, b) => a - b))
        expect(xs.every((x) => x >= 0 && x <= scale.width)).toBe(true)
        expect(scale.width).toBeLessThanOrEqual(Math.max(800, 200 + scale.folds.length * 56) + 1e-6)
      }),
    )
  })

  it('finds the time of each place outside folds', () => {
    const scale = createScale([0, 100, 200, 300], 300)
    for (const time of [0, 50, 100, 250, 300]) expect(scale.timeAt(scale.x(time))).toBeCloseTo(time)
  })

  it('folds a long gap to one mark, and leaves short ones in proportion', () => {
    const { x, folds } = createScale([0, 1000, 2000, 3000, 7_203_000, 7_204_000], 800)
    expect(folds).toEqual([{ from: 3000, to: 7_203_000, x: x(3000) + 28 }])
    expect(x(2000) - x(1000)).toBeCloseTo(x(7_204_000) - x(7_203_000))
  })

  it('is a single place when everything happens at once', () => {
    expect(createScale([5, 5], 800)).toMatchObject({ width: 0, folds: [] })
  })
})

it('durations read as people write them', () => {
  expect([120, 1500, 60_000, 7_200_000, 172_800_000].map(durationText)).toEqual([
    '120 ms',
    '1.5 s',
    '1 min',
    '2 h',
    '2 d',
  ])
})

it('lanes name the numeric statuses of the contract, and show other numbers as they are', () => {
  const at = new Date(0).toISOString()
  const changes = [0, 1, 2, 3, 9, 'queued'].map((status) => ({ at, status, notFound: false, past: true }))
  const [lane] = jobLanes([{ id: 'a', kind: 'imageJob', timeline: changes } as never], [], 0)
  expect(lane?.segments.map(({ status }) => status)).toEqual([
    ...['0 waiting', '1 running', '2 succeeded', '3 failed', '9', 'queued'],
  ])
})
