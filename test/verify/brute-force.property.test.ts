/**
 * Counts agree with what is found by looking at everything, and with what the rules of a scenario answer.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxWithin } from '../../src/verify/verify.ts'
import { runs } from '../_counts.ts'
import { get, simulator } from '../_setup.ts'
import { chat, video } from './_calls.ts'

const ascending = fc.array(fc.nat({ max: 20 }), { maxLength: 12 }).map((pauses) => {
  let at = 0
  return pauses.map((pause) => (at += pause))
})

describe('properties', () => {
  it('the most calls in a stretch is the most that any stretch holds that begins with a call', () => {
    fc.assert(
      fc.property(ascending, fc.option(fc.nat({ max: 60 }), { nil: undefined }), (times, span) => {
        const brute =
          span === undefined
            ? times.length
            : Math.max(
                0,
                ...times.map((begin) => times.filter((at) => at >= begin && at <= begin + span).length),
              )
        expect(maxWithin(times, span)).toBe(brute)
      }),
    )
  })

  it('a pattern counts the calls that a rule with the same words answers', async () => {
    const prompts = ['a fox', 'a sunset', 'a fox at sunset', '']
    const call = fc.record({
      operation: fc.constantFrom('chat', 'video', 'models'),
      prompt: fc.constantFrom(...prompts),
      model: fc.constantFrom('gpt-4o', 'gpt-4o-mini'),
      temperature: fc.constantFrom(0, 1),
      team: fc.constantFrom('blue', 'red'),
    })
    const patterns = [
      { operation: 'chat.create', model: 'gpt-4o' },
      { operation: ['chat.create', 'models.list'], headers: { 'x-team': 'blue' } },
      {
        operation: 'chat.create',
        body: { temperature: { gt: 0 } },
        conversation: { lastUser: { contains: 'fox' } },
      },
      { operation: 'videos.*', body: { prompt: { not: { contains: 'sunset' } } } },
      { operation: '*', key: 'sk-te*' },
    ] as const
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 12 }),
        fc.constantFrom(...patterns),
        async (calls, pattern) => {
          const sim = simulator({
            scenarios: [{ title: 'Counted', rules: [{ id: 'counted', when: pattern, then: { delay: 0 } }] }],
          })
          for (const { operation, prompt, model, temperature, team } of calls) {
            if (operation === 'chat') await chat(sim, prompt, { model, temperature }, { 'x-team': team })
            else if (operation === 'video') await video(sim, prompt)
            else await get(sim, '/v1/models', { 'x-team': team })
          }
          // Rules look at valid calls only.
          const answered = sim.journal().filter(({ cause }) => cause.rule === 'counted').length
          expect(sim.safeVerify({ requests: { ...pattern, status: 200 }, times: answered })).toMatchObject({
            ok: true,
            count: answered,
          })
          expect(sim.safeVerify({ requests: { ...pattern, status: 200 }, times: answered + 1 }).ok).toBe(
            false,
          )
        },
      ),
      runs(40),
    )
  })
})
