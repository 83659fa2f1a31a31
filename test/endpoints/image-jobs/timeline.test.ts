import { describe, expect, it } from 'vitest'
import { type ImageJob, renderImageJob } from '../../../src/endpoints/image-jobs/image-job.ts'
import { fold, type Timeline } from '../../../src/engine/timeline.ts'
import { under } from '../../scenario/_gateway.ts'
import { someFacts } from './_jobs.ts'

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
const shown = (timeline: Timeline, elapsed: number) =>
  renderImageJob({ job: job(timeline), ...fold(timeline, elapsed) })

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

describe('an image job', () => {
  const { call } = under(
    [
      [{ failAt: 50 }, 'a'],
      [{ failAt: 10, code: 'JobStatusBadPrompt', message: 'the prompt was rejected' }, 'b'],
      [{ failAt: 10, code: 'moderation_blocked', message: 'the prompt was rejected' }, 'c'],
      [{ blocked: [3, 2, 1, 0] }, 'd'],
      [{ blocked: [3, 2, 1, 1] }, 'e'],
    ].map(([job, text]) => ({ when: { body: { text } }, then: { job } })) as never,
    {},
    { settings: { imageJobs: { duration: '0s' } } },
  )
  it.each([
    ['a failure without words', 'a', 'JobStatusFail'],
    ["a failure in the service's words", 'b', 'JobStatusBadPrompt'],
    ['a failure in other words', 'c', 'the prompt was rejected'],
    ['every image blocked', 'd', 'JobStatusReject'],
    ['some images blocked', 'e', 'JobStatusSuccess'],
  ])('says in `comment` why it failed: %s', async (_, text, comment) => {
    const { body } = await call('POST', '/v1/tob/diffusion', { model: 'v7', text })
    expect(body.comment).toBe(comment)
  })
})
