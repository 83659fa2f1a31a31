/**
 * Jobs that fall back: at a share of their way they show their first state again, and go the whole way from
 * there.
 */
import { describe, expect, it } from 'vitest'
import { imageJobs, type Kind, operations, unfolding, videos } from './_scripted.ts'

const shown = ({ status, progress, done, cost, metadata }: any): unknown =>
  metadata !== undefined
    ? [done, metadata.state, metadata.progressPercent]
    : progress !== undefined
      ? [status, progress]
      : [status, cost?.fastCost === undefined ? 'no cost' : 'cost']

/** What polls show, by the milliseconds since the submission. */
const cases: readonly (readonly [string, Kind, number, Readonly<Record<number, unknown>>])[] = [
  [
    'an image job',
    imageJobs,
    40_000,
    {
      0: [1, 'no cost'],
      19999: [1, 'cost'],
      20000: [0, 'no cost'],
      24000: [1, 'no cost'],
      30000: [1, 'cost'],
      59999: [1, 'cost'],
      60000: [2, 'cost'],
    },
  ],
  [
    'a video',
    videos,
    60_000,
    {
      0: ['pending', 0],
      29999: ['in_progress', 49],
      30000: ['pending', 0],
      36000: ['in_progress', 10],
      89999: ['in_progress', 99],
      90000: ['completed', 100],
    },
  ],
  [
    'an operation',
    operations,
    60_000,
    {
      0: [false, 'PENDING', 0],
      29999: [false, 'RUNNING', 49],
      30000: [false, 'PENDING', 0],
      36000: [false, 'RUNNING', 10],
      90000: [true, 'SUCCEEDED', 100],
    },
  ],
]

describe.each(cases)('%s that goes back halfway', (_, kind, duration, expected) => {
  it('shows its first state again, and ends half its duration later', async () => {
    const { at } = await unfolding(kind, { job: { regressAt: 50 } })
    const seen: Record<string, unknown> = {}
    for (const ms of Object.keys(expected)) seen[ms] = shown(await at(Number(ms)))
    expect(seen).toEqual(expected)
  })

  it('can fail after going back', async () => {
    const { at } = await unfolding(kind, {
      job: { regressAt: 50, failAt: 50, code: 'ABORTED', message: 'y' },
    })
    const end = await at(duration)
    expect([end.status ?? end.metadata.state, end.comment ?? end.error.message]).toEqual([
      kind === imageJobs ? 3 : kind === videos ? 'failed' : 'FAILED',
      'y',
    ])
  })
})

describe('going back', () => {
  it('has no effect at the very start or for a finished job', async () => {
    const usual = await unfolding(videos, {})
    const early = await unfolding(videos, { job: { regressAt: 0 } })
    expect(await early.at(30_000)).toEqual(await usual.at(30_000))
    const settings = { imageJobs: { submitted: 'finished' } } as const
    const finished = await unfolding(imageJobs, { job: { regressAt: 50 } }, { settings })
    expect(finished.first.status).toBe(2)
  })
})
