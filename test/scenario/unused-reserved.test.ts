/**
 * Words that look reserved and do nothing: the call is answered as any other, and a warning says what was
 * meant.
 */
import { describe, expect, it } from 'vitest'
import { post, simulator, withRules } from '../_setup.ts'

async function warnings(
  ...calls: { readonly model?: string; readonly prompt?: string }[]
): Promise<readonly string[]> {
  const sim = simulator()
  for (const { model = 'gpt-4o', prompt = 'Hi' } of calls) {
    expect(
      (await post(sim, '/v1/chat/completions', { model, messages: [{ role: 'user', content: prompt }] }))
        .status,
    ).toBe(200)
  }
  return sim.warnings
}

describe('a warning is given', () => {
  const meant = (word: string): string => `is not a reserved value and has no effect: did you mean ${word}?`
  const elsewhere =
    'has no effect on chat.create: node_modules/gateway-sim/docs/start/failures-without-setup.md lists the values and their operations'
  it.each([
    ['a misspelled value', '[sim:rate-limt]', meant('rate-limit')],
    ['a value without its number', '[sim:disconnect-after-x]', meant('disconnect-after-N')],
    ['a value in capitals', '[sim:RATE-LIMIT]', meant('rate-limit')],
    [
      'a value similar to none',
      '[sim:thunderstorm]',
      'is not a reserved value and has no effect: node_modules/gateway-sim/docs/start/failures-without-setup.md lists the values and their operations',
    ],
    ['a value of other operations', '[sim:fail-at-60]', elsewhere],
    ['a misspelled reserved model', 'sim-rate-limt', meant('rate-limit')],
    ['a model of other operations', 'sim-finished', elsewhere],
  ])('of %s: %s', async (_, written, warning) => {
    const call = written.startsWith('[') ? { prompt: `${written} Hi` } : { model: written }
    expect(await warnings(call)).toEqual([`${written} ${warning}`])
  })

  it('once of a value that a rule overrides', async () => {
    const sim = simulator(withRules(['id: hello, when: { operation: chat.create }, then: { text: Hi }']))
    const messages = [{ role: 'user', content: '[sim:stall-after-3] Hi' }]
    const model = 'gpt-4o'
    for (const more of [{ model }, { model }, { model, n: 2 }, { model: 'sim-length' }])
      await post(sim, '/v1/chat/completions', { messages, ...more })
    expect(sim.warnings).toEqual([
      '[sim:stall-after-3] had no effect: rule hello has precedence',
      'sim-length had no effect: rule hello has precedence',
    ])
  })

  it('once for each value, whatever text surrounds it', async () => {
    expect(
      await warnings({ prompt: '[sim:stuk] one' }, { prompt: '[sim:stuk] two' }, { prompt: '[sim:stuck]' }),
    ).toEqual([
      '[sim:stuk] is not a reserved value and has no effect: did you mean stuck?',
      '[sim:stuck] has no effect on chat.create: node_modules/gateway-sim/docs/start/failures-without-setup.md lists the values and their operations',
    ])
  })

  it('of at most a hundred values, because prompts are unbounded', async () => {
    const prompt = Array.from({ length: 150 }, (_, index) => `[sim:word${index}]`).join(' ')
    const given = await warnings({ prompt })
    expect(given).toHaveLength(100)
  })
})

describe('no warning is given', () => {
  it.each([
    ['for a model with the same prefix', { model: 'sim-thunderstorm' }],
    ['for a value that acts', { prompt: '[sim:length] Hi' }],
    ['for other text in brackets', { prompt: 'sim:rate-limt [sim rate-limt] [sim:]' }],
  ])('%s', async (_, call) => {
    expect(await warnings(call)).toEqual([])
  })
})
