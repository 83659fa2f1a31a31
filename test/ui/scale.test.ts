/** The axis of the page's timeline. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobLanes, marksOf } from '../../src/ui/timeline/lanes.ts'
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

  it('labels times, however many gaps are folded', () => {
    const scale = createScale([0, 1, 2, 60_000, 60_001, 200_000, 200_001, 500_000], 400)
    expect(scale.folds).toHaveLength(3)
    const places = scale.ticks.map(({ x }) => x)
    expect(places[0]).toBe(0)
    expect(places.length).toBeGreaterThan(2)
    expect(places.slice(1).every((x, at) => x - (places[at] as number) >= 80)).toBe(true)
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
    ...['waiting', 'running', 'succeeded', 'failed', '9', 'queued'],
  ])
})

describe('the marks of requests', () => {
  const call = (seq: number, time: number, more: object = {}) =>
    ({
      seq,
      at: new Date(time).toISOString(),
      response: { status: 200 },
      ended: 'completed',
      cause: { faults: [] },
      ...more,
    }) as never

  it('count every request, however many there are', () => {
    const calls = Array.from({ length: 10_000 }, (_, seq) => call(seq, seq))
    const marks = marksOf(calls, (time) => time / 10)
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(10_000)
    expect(marks.length).toBeLessThan(400)
    expect([marks[0], marks.at(-1)].map((mark) => mark?.call.seq)).toEqual([29, 9999])
  })

  it('show which share of the requests at their place has failed', () => {
    const calls = Array.from({ length: 100 }, (_, seq) =>
      call(seq, 0, { response: { status: seq % 50 === 0 ? 400 : 200 } }),
    )
    expect(marksOf(calls, () => 0).map(({ look, share }) => [look, share])).toEqual([
      ['c2', 1],
      ['c4', expect.closeTo(0.02)],
    ])
  })

  it('keep errors and cut responses apart, above the others', () => {
    const calls = [
      call(0, 0, { response: { status: 500 } }),
      call(1, 0, { ended: 'disconnected' }),
      call(2, 0, { ended: 'aborted' }),
      call(3, 0),
      call(4, 0, { response: { status: 404 } }),
      call(5, 0, { cause: { faults: ['error-event'] } }),
    ]
    const shown = marksOf(calls, () => 7).map(({ look, call: { seq }, count }) => [look, seq, count])
    expect(shown).toEqual([
      ['c2', 3, 1],
      ['c4', 4, 2],
      ['c5', 0, 1],
      ['c0', 5, 2],
    ])
  })
})
