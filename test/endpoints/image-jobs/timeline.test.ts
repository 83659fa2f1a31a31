import { describe, expect, it } from 'vitest'
import { under } from '../../scenario/_gateway.ts'

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
