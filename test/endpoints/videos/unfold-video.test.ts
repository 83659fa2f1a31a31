import { describe, expect, it } from 'vitest'
import { courseTimeline } from '../../../src/behaviours/jobs/job-kind.ts'
import { videoCourse, videoView } from '../../../src/endpoints/videos/video.ts'
import type { PlannedJob } from '../../../src/protocol/plan.ts'

const videoTimeline = (duration: number, job?: PlannedJob) => courseTimeline(videoCourse, duration, job)

describe('a video with a timeline of a script', () => {
  it('shows what the script says, and fills in what the wire needs besides', () => {
    const timeline = videoTimeline(60_000, {
      timeline: [
        { at: 0, patch: { status: 'pending' } },
        { at: 2000, patch: { status: 'in_progress' }, ramps: { progress: { from: 0, to: 60, over: 6000 } } },
        {
          at: 8000,
          patch: {
            status: 'failed',
            error: { code: 'moderation_blocked', message: 'the prompt was rejected' },
          },
        },
      ],
    })
    expect(videoView(timeline, 0)).toMatchObject({ status: 'pending', progress: 0, error: null })
    expect(videoView(timeline, 5000)).toMatchObject({ status: 'in_progress', progress: 30, error: null })
    expect(videoView(timeline, 9000)).toMatchObject({
      status: 'failed',
      progress: 60,
      error: {
        code: 'moderation_blocked',
        message: 'the prompt was rejected',
        type: 'video_generation_user_error',
      },
      since: 8000,
    })
  })

  it('is at 100 once completed, although a ramp was still on its way', () => {
    const timeline = [
      { at: 0, patch: { status: 'in_progress' }, ramps: { progress: { from: 0, to: 90, over: 10_000 } } },
      { at: 5000, patch: { status: 'completed' } },
    ]
    expect(videoView(timeline, 4999)).toMatchObject({ status: 'in_progress', progress: 44 })
    expect(videoView(timeline, 6000)).toMatchObject({ status: 'completed', progress: 100, since: 5000 })
  })

  it('stops where a failure found it, although a ramp was still on its way', () => {
    const timeline = [
      { at: 0, patch: { status: 'in_progress' }, ramps: { progress: { from: 0, to: 90, over: 9000 } } },
      { at: 5000, patch: { status: 'failed' } },
    ]
    expect(videoView(timeline, 8000)).toMatchObject({
      status: 'failed',
      progress: 50,
      error: {
        code: 'video_generation_failed',
        message: 'The video could not be generated.',
        type: 'server_error',
      },
    })
  })

  it('keeps a progress that the script insists on', () => {
    expect(videoView([{ at: 0, patch: { status: 'completed', progress: 80 } }], 0)).toMatchObject({
      status: 'completed',
      progress: 80,
    })
  })

  it('counts its completion from the first entry that said so', () => {
    const timeline = [
      { at: 0, patch: { status: 'pending' } },
      { at: 1000, patch: { status: 'completed' } },
      { at: 2000, patch: { status: 'completed' } },
    ]
    expect(videoView(timeline, 5000).since).toBe(1000)
  })

  it('may set its own completed_at and expires_at', () => {
    expect(
      videoView([{ at: 0, patch: { status: 'completed', completed_at: 1000, expires_at: 2000 } }], 0),
    ).toMatchObject({ completedAt: 1000, expiresAt: 2000 })
    expect(
      videoView([{ at: 0, patch: { status: 'completed', expires_at: 1e300 } }], 0).expiresAt,
    ).toBeUndefined()
  })

  it('shows a progress that the wire allows, whatever the script says', () => {
    expect(videoView([{ at: 0, patch: { status: 'in_progress', progress: 250 } }], 0).progress).toBe(100)
    expect(videoView([{ at: 0, patch: { status: 'in_progress', progress: 'half' } }], 0).progress).toBe(0)
  })
})

describe('a planned failure', () => {
  it('without a share of the way comes at the end, in the words of the plan', () => {
    const timeline = videoTimeline(10_000, {
      failure: { code: 'server_overloaded', message: 'too much to do' },
    })
    expect(videoView(timeline, 9_999).status).toBe('in_progress')
    expect(videoView(timeline, 10_000)).toMatchObject({
      status: 'failed',
      progress: 100,
      error: { code: 'server_overloaded', message: 'too much to do', type: 'server_error' },
    })
  })

  it('at once is the end of the submission', () => {
    expect(videoView(videoTimeline(10_000, { failAt: 30, finished: true }), 0)).toMatchObject({
      status: 'failed',
      progress: 30,
    })
  })

  it('later than the video vanishes never comes', () => {
    expect(videoTimeline(10_000, { failAt: 60, notFoundAt: 40 }).at(-1)).toEqual({ at: 4000, notFound: true })
  })
})
