/** A video with a timeline of a script: what it shows where the script says less than the wire needs, or more. */
import { describe, expect, it } from 'vitest'
import { viewOf } from '../../../src/endpoints/videos/video.ts'
import { fold, type Timeline } from '../../../src/engine/timeline.ts'

const seen = (timeline: Timeline, at: number) =>
  viewOf({ job: { bornAt: 0, timeline } as never, ...fold(timeline, at) })
const moving = (to: number, over: number) => ({
  at: 0,
  patch: { status: 'in_progress' },
  ramps: { progress: { from: 0, to, over } },
})
const error = { code: 'moderation_blocked', message: 'the prompt was rejected' }
const type = 'video_generation_user_error'
const usual = { message: 'The video could not be generated.', type: 'server_error' }

describe('a video with a timeline of a script', () => {
  it.each<[string, Timeline, number, object]>([
    [
      'shows what the script says, and fills in what the wire needs besides',
      [moving(60, 6000), { at: 8000, patch: { status: 'failed', error } }],
      9000,
      { status: 'failed', progress: 60, error: { ...error, type } },
    ],
    [
      'is at 100 once completed, although a ramp was still on its way',
      [moving(90, 10_000), { at: 5000, patch: { status: 'completed' } }],
      6000,
      { status: 'completed', progress: 100, completedAt: 5000, expiresAt: 86_405_000 },
    ],
    [
      'stops where a failure found it, although a ramp was still on its way',
      [moving(90, 9000), { at: 5000, patch: { status: 'failed' } }],
      8000,
      { status: 'failed', progress: 50, error: { code: 'video_generation_failed', ...usual } },
    ],
    [
      'keeps a progress that the script insists on',
      [{ at: 0, patch: { status: 'completed', progress: 80 } }],
      0,
      { progress: 80 },
    ],
    [
      'counts its completion from the first entry that said so',
      [0, 1000, 2000].map((at) => ({ at, patch: { status: at === 0 ? 'pending' : 'completed' } })),
      5000,
      { completedAt: 1000 },
    ],
    [
      'may set its own completed_at and expires_at',
      [{ at: 0, patch: { status: 'completed', completed_at: 1000, expires_at: null } }],
      0,
      { completedAt: 1_000_000, expiresAt: undefined },
    ],
    [
      'shows a progress that the wire allows, whatever the script says',
      [{ at: 0, patch: { status: 'in_progress', progress: 250 } }],
      0,
      { progress: 100 },
    ],
  ])('%s', (_, timeline, at, expected) => {
    expect(seen(timeline, at)).toMatchObject(expected)
  })
})
