import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfTimeline, fold, insertEntry, nextEntryAt, type Timeline } from '../../src/engine/timeline.ts'

const video: Timeline = [
  { at: 0, patch: { status: 'pending', progress: 0 } },
  { at: 2000, patch: { status: 'in_progress' }, ramps: { progress: { from: 0, to: 60, over: 6000 } } },
  { at: 8000, patch: { status: 'failed', error: { code: 'x' } } },
]

describe('folding a timeline', () => {
  it('shows the patches that have come, merged', () => {
    expect(fold(video, 0)).toEqual({
      state: { status: 'pending', progress: 0 },
      unset: [],
      notFound: false,
      reached: 1,
    })
    expect(fold(video, 1999).state).toEqual({ status: 'pending', progress: 0 })
    expect(fold(video, 8000).state).toEqual({ status: 'failed', progress: 60, error: { code: 'x' } })
  })

  it('moves ramps evenly, in whole numbers, and holds their end', () => {
    expect([2000, 2100, 5000, 7999, 8000, 99_000].map((at) => fold(video, at).state['progress'])).toEqual([
      0, 1, 30, 59, 60, 60,
    ])
  })

  it('a later patch of a field ends its ramp', () => {
    const timeline: Timeline = [
      { at: 0, ramps: { progress: { from: 0, to: 100, over: 1000 } } },
      { at: 500, patch: { progress: 7 } },
    ]
    expect(fold(timeline, 900).state['progress']).toBe(7)
  })

  it('default ends the ramp of its field', () => {
    const timeline: Timeline = [
      { at: 0, patch: { status: 'running' }, ramps: { progress: { from: 0, to: 100, over: 1000 } } },
      { at: 500, reset: ['progress'] },
    ]
    expect(fold(timeline, 499).state).toEqual({ status: 'running', progress: 49 })
    expect(fold(timeline, 500).state).toEqual({ status: 'running' })
    expect(fold(timeline, 5000).state).toEqual({ status: 'running' })
  })

  it('null sets null, default removes, notFound is a state like any other', () => {
    const timeline: Timeline = [
      { at: 0, patch: { a: 1, b: 2 } },
      { at: 1, patch: { a: null }, reset: ['b'] },
      { at: 2, notFound: true },
      { at: 3, patch: { a: 4 } },
    ]
    expect(fold(timeline, 1).state).toEqual({ a: null })
    expect(fold(timeline, 2).notFound).toBe(true)
    expect(fold(timeline, 3)).toEqual({ state: { a: 4 }, unset: [], notFound: false, reached: 4 })
  })

  it('unset hides a field and keeps its state, until it is set or is as by default', () => {
    const timeline: Timeline = [
      { at: 0, patch: { a: 1, b: 2 }, unset: ['b', 'c'] },
      { at: 1, patch: { b: 3 } },
      { at: 2, reset: ['c'] },
    ]
    expect([0, 1, 2].map((at) => fold(timeline, at).unset)).toEqual([['b', 'c'], ['c'], []])
    expect(fold(timeline, 0).state).toEqual({ a: 1, b: 2 })
  })

  it('knows the next entry and the end; a ramp is no entry', () => {
    expect(nextEntryAt(video, 0)).toBe(2000)
    expect(nextEntryAt(video, 2000)).toBe(8000)
    expect(nextEntryAt(video, 8000)).toBeUndefined()
    expect(endOfTimeline(video)).toBe(8000)
    expect(endOfTimeline([])).toBe(0)
  })

  it('an entry put in comes after those of the same time', () => {
    const timeline = insertEntry(video, { at: 2000, patch: { status: 'completed' } })
    expect(timeline.map(({ at }) => at)).toEqual([0, 2000, 2000, 8000])
    expect(fold(timeline, 2000).state['status']).toBe('completed')
  })

  it('is a function of time alone: what was looked at before does not matter', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 20 }),
        (timestamps) => {
          const last = timestamps.at(-1) as number
          for (const at of timestamps) fold(video, at)
          expect(fold(video, last)).toEqual(fold(structuredClone(video) as Timeline, last))
        },
      ),
    )
  })
})
