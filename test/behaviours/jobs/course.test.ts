/** The timelines that follow from the course of a kind of job: of plans, and of jobs that a scenario gives. */
import { describe, expect, it } from 'vitest'
import { type Course, placeGiven, timelineOf } from '../../../src/behaviours/jobs/course.ts'
import { fold, type Timeline } from '../../../src/engine/timeline.ts'
import type { PlannedJob } from '../../../src/protocol/plan.ts'

const plain: Course = {
  begins: { status: 'running' },
  steps: [{ at: 25, patch: { cost: 1 } }],
  succeeds: { status: 'done' },
  fails: (failure) => ({ status: 'failed', why: failure?.code ?? 'unknown' }),
}
const again: Course = {
  ...plain,
  begins: { status: 'waiting' },
  steps: [{ at: 10, patch: { status: 'running' } }, ...plain.steps],
}
const moving: Course = {
  ...plain,
  begins: { status: 'pending', progress: 0 },
  steps: [10, 50].map((at) => ({ at, patch: { status: 'running' } })),
  progress: 'progress',
}

/** As `0 running, 250 cost`: what each entry changes. */
const drawn = (timeline: Timeline): string =>
  timeline
    .map(({ at, patch = {}, notFound }) => `${at} ${notFound ? 'notFound' : (patch['status'] ?? 'cost')}`)
    .join(', ')

describe('the timeline of a plan', () => {
  it.each<[string, PlannedJob, string]>([
    ['by default', {}, '0 running, 250 cost, 1000 done'],
    ['at once', { finished: true }, '0 running, 0 done'],
    ['failing at 30%', { failAt: 30 }, '0 running, 250 cost, 300 failed'],
    ['failing before its first step', { failAt: 25 }, '0 running, 250 failed'],
    ['failing at once', { failAt: 80, finished: true }, '0 running, 0 failed'],
    ['failing at a share that is none', { failAt: 400 }, '0 running, 250 cost, 1000 failed'],
    ['failing for a reason', { failure: { code: 'x' } }, '0 running, 250 cost, 1000 failed'],
    ['stuck', { stuck: true }, '0 running, 250 cost'],
    ['vanishing half-way', { notFoundAt: 50 }, '0 running, 250 cost, 500 notFound'],
    ['vanishing at its end', { notFoundAt: 100 }, '0 running, 250 cost, 1000 notFound'],
    ['vanishing before it fails', { failAt: 60, notFoundAt: 40 }, '0 running, 250 cost, 400 notFound'],
    ['vanishing after it failed', { failAt: 10, notFoundAt: 40 }, '0 running, 100 failed, 400 notFound'],
    ['vanishing although stuck', { notFoundAt: 30, stuck: true }, '0 running, 250 cost, 300 notFound'],
    ['falling back', { regressAt: 20 }, '0 running, 200 waiting, 300 running, 450 cost, 1200 done'],
    ['falling back at once', { regressAt: 0 }, '0 running, 250 cost, 1000 done'],
    ['as planned', { timeline: [{ at: 0, patch: { status: 'x' } }], failAt: 3 }, '0 x'],
    ['as planned, with a first status', { timeline: [{ at: 5, patch: { status: 'x' } }] }, '0 running, 5 x'],
  ])('%s', (_, plan, expected) => {
    expect(drawn(timelineOf({ ...plain, again }, 1000, plan))).toBe(expected)
  })

  it.each<[string, PlannedJob, readonly number[]]>([
    ['moves from step to step', {}, [0, 10, 30, 50, 99, 100]],
    ['stays where it is stuck', { stuck: true }, [0, 10, 30, 50, 50, 50]],
    ['stays where it fails', { failAt: 40 }, [0, 10, 30, 40, 40, 40]],
    ['ends at once', { finished: true }, [100, 100, 100, 100, 100, 100]],
  ])('its progress %s', (_, plan, expected) => {
    const timeline = timelineOf(moving, 1000, plan)
    expect([99, 100, 300, 500, 999, 1000].map((at) => fold(timeline, at).state['progress'])).toEqual(expected)
  })
})

describe('a given job', () => {
  const given = { offContract: false, contents: undefined, timeline: undefined }
  const place = (fields: object, age?: number, course = moving, duration = 1000) => {
    const placed = placeGiven({ ...course, again }, duration, { ...fields }, { ...given, fields: {}, age })
    const at = (ms: number): string => {
      const { status, progress } = fold(placed.timeline, placed.age + ms).state
      return `${status} ${progress}`
    }
    return { age: placed.age, now: at(0), in100: at(100), in900: at(900) }
  }

  it.each<[string, object, number | undefined, object]>([
    ['pending', {}, undefined, { age: 0, now: 'pending 0', in100: 'running 10', in900: 'running 90' }],
    ['running', {}, undefined, { age: 500, now: 'running 50', in100: 'running 60', in900: 'done 100' }],
    ['running', { progress: 30 }, undefined, { age: 300, now: 'running 30', in100: 'running 40' }],
    ['done', {}, undefined, { age: 1000, now: 'done 100', in900: 'done 100' }],
    ['failed', {}, undefined, { age: 1000, now: 'failed 100' }],
    ['failed', { progress: 30 }, undefined, { age: 1000, now: 'failed 30' }],
    // As old as the scenario says, in a course that is moved where it has to be.
    ['pending', {}, 5000, { age: 5000, now: 'pending 0', in100: 'running 10', in900: 'running 90' }],
    ['running', {}, 700, { age: 700, now: 'running 70' }],
    ['running', { progress: 30 }, 700, { age: 700, now: 'running 30', in100: 'running 40' }],
    ['running', { progress: 30 }, 1, { age: 1, now: 'running 30', in100: 'running 40' }],
    ['done', {}, 20, { age: 20, now: 'done 100' }],
    // What its course does not show stays, or holds until the next change.
    ['odd', { progress: 30 }, undefined, { age: 0, now: 'odd 30', in900: 'odd 30' }],
    ['done', { progress: 30 }, undefined, { age: 1000, now: 'done 30', in900: 'done 30' }],
    ['running', { progress: 5 }, undefined, { age: 500, now: 'running 5', in900: 'done 100' }],
  ])('that is %s, with %o and the age %s', (status, fields, age, expected) => {
    expect(place({ status, ...fields }, age)).toMatchObject(expected)
  })

  it('waits if only a course that starts over waits', () => {
    expect(place({ status: 'waiting' }, undefined, plain).in100).toBe('running undefined')
  })

  it('keeps its status in a course without duration, which has no middle', () => {
    expect(place({ status: 'running' }, undefined, moving, 0)).toMatchObject({
      now: 'running undefined',
      in900: 'running undefined',
    })
  })
})
