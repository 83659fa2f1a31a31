import { describe, expect, it } from 'vitest'
import { type ImageJob, renderImageJob } from '../../../src/endpoints/image-jobs/image-job.ts'
import { fastCostFrom, jobTimeline } from '../../../src/endpoints/image-jobs/kind.ts'
import { randomFrom } from '../../../src/engine/random.ts'
import { fold, type Timeline } from '../../../src/engine/timeline.ts'
import type { PlannedJob } from '../../../src/protocol/plan.ts'
import { someFacts } from './_jobs.ts'

const course = (plan: PlannedJob, count = 4): Timeline =>
  jobTimeline({ duration: 1000, count, plan, fastCost: fastCostFrom(randomFrom('cost')) })
/** As `0 is 1, 250 cost, 1000 is 2`: what each entry changes. */
const timestamps = (timeline: Timeline): string =>
  timeline
    .map(({ at, patch, notFound }) => {
      const status = patch?.['status']
      return `${at} ${notFound === true ? 'notFound' : status === undefined ? 'cost' : `is ${status}`}`
    })
    .join(', ')

const job = (timeline: Timeline): ImageJob => ({
  kind: 'imageJob',
  id: 'job-1',
  owner: 'sk-test',
  bornAt: 0,
  facts: someFacts,
  timeline,
  skip: 0,
  order: 0,
  onPoll: [],
  polls: 0,
  lastShown: undefined,
})
const shown = (timeline: Timeline, elapsed: number) => renderImageJob(job(timeline), fold(timeline, elapsed))

describe('the course of an image job', () => {
  it.each<[string, PlannedJob, string]>([
    ['by default', {}, '0 is 1, 250 cost, 1000 is 2'],
    ['at once', { finished: true }, '0 is 1, 0 is 2'],
    ['failing at 30%', { failAt: 30 }, '0 is 1, 250 cost, 300 is 3'],
    ['failing before its cost is estimated', { failAt: 25 }, '0 is 1, 250 is 3'],
    ['failing at once', { failAt: 80, finished: true }, '0 is 1, 0 is 3'],
    ['failing at a share that is none', { failAt: 400 }, '0 is 1, 250 cost, 1000 is 3'],
    ['stuck', { stuck: true }, '0 is 1, 250 cost'],
    ['stuck whatever else is planned', { stuck: true, finished: true, failAt: 50 }, '0 is 1, 250 cost'],
    ['vanishing half-way', { notFoundAt: 50 }, '0 is 1, 250 cost, 500 notFound'],
    ['vanishing at its end', { notFoundAt: 100 }, '0 is 1, 250 cost, 1000 is 2, 1000 notFound'],
    ['vanishing although stuck', { notFoundAt: 30, stuck: true }, '0 is 1, 250 cost, 300 notFound'],
    [
      'vanishing after it has ended at once',
      { notFoundAt: 10, finished: true },
      '0 is 1, 0 is 2, 100 notFound',
    ],
    [
      'as planned',
      {
        timeline: [
          { at: 0, patch: { status: 0 } },
          { at: 5, patch: { status: 3 } },
        ],
        failAt: 3,
      },
      '0 is 0, 5 is 3',
    ],
    [
      'as planned, running until something is said',
      { timeline: [{ at: 5, patch: { status: 0 } }] },
      '0 is 1, 5 is 0',
    ],
  ])('%s', (_, plan, expected) => {
    expect(timestamps(course(plan))).toEqual(expected)
  })

  it.each<[string, PlannedJob, number, string | undefined]>([
    ['no failure', {}, 4, undefined],
    ['a failure without words', { failAt: 50 }, 4, 'JobStatusFail'],
    [
      "a failure in the service's words",
      { failure: { code: 'JobStatusBadPrompt', message: 'the prompt was rejected' } },
      4,
      'JobStatusBadPrompt',
    ],
    [
      'a failure in other words',
      { failAt: 10, failure: { code: 'moderation_blocked', message: 'the prompt was rejected' } },
      4,
      'the prompt was rejected',
    ],
    ['every image blocked', { blocked: [3, 2, 1, 0] }, 4, 'JobStatusReject'],
    ['some images blocked', { blocked: [3, 2, 1, 1] }, 4, undefined],
    ['an image blocked that the job has not', { blocked: [2] }, 1, undefined],
  ])('says in `comment` why it failed: %s', (_, plan, count, comment) => {
    expect(course(plan, count).at(-1)?.patch?.['comment']).toBe(comment)
  })
})

describe('an image job on the wire', () => {
  const urls = [0, 1].map((n) => expect.stringMatching(new RegExp(`/media/image-jobs/job-1/${n}\\.png$`)))

  it('follows from a timeline that says no more than the status', () => {
    const timeline: Timeline = [1, 2, 3].map((status) => ({ at: status * 10, patch: { status } }))
    const running = {
      ...{ id: 'job-1', text: 'a cat', status: 1, urls: [] },
      ...{ comment: 'JobStatusRunning', cost: null, audits: [], seed: 7 },
    }
    expect(shown(timeline, 0)).toEqual(running)
    expect(shown(timeline, 20)).toEqual({
      ...running,
      status: 2,
      urls,
      comment: 'JobStatusSuccess',
      audits: ['', 'blocked by the image audit'],
    })
    expect(shown(timeline, 30)).toEqual({ ...running, status: 3, comment: 'JobStatusFail' })
  })

  it('waits when a timeline says so', () => {
    expect(shown([{ at: 0, patch: { status: 0 } }], 0)).toMatchObject({
      status: 0,
      comment: 'JobStatusQueued',
      urls: [],
    })
  })

  it('shows what a timeline says of any field', () => {
    const patch = { status: 2, urls: null, comment: 'ready', audits: [], seed: 1, text: 'other', cost: null }
    expect(shown([{ at: 0, patch }], 0)).toEqual({ id: 'job-1', ...patch })
  })
})
