import * as fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import {
  answerTo,
  asking,
  type Body,
  type Choice,
  chatSimulator,
  completed,
  saidTo,
  weather,
} from './_chat.ts'

const count = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length
const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)]
const trains = 'Tell me about trains'
const tags = { type: 'array', items: { type: 'string' } }
const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, tags, pages: { type: 'integer' } },
  required: ['title', 'tags', 'pages'],
  additionalProperties: false,
}
const inShape = { response_format: { type: 'json_schema', json_schema: { name: 'book', schema } } }
const family = '👨‍👩‍👧‍👦 漢字 e\u0301 🤖🤖 done'

describe('n', () => {
  it('is so many choices, each different, in the order of their index', async () => {
    const { choices } = await completed(asking(trains, { n: 5 }))
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    expect(new Set(choices.map(({ message }) => message.content)).size).toBe(5)
  })

  it('goes to 128, and the tokens of all choices are billed', async () => {
    const { choices, usage } = await completed(asking(trains, { n: 128 }))
    expect(choices).toHaveLength(128)
    expect(usage.completion_tokens).toBe(
      choices.reduce((sum, { message }) => sum + count(message.content as string), 0),
    )
  })
})

describe('stop', () => {
  it.each<[string, unknown, string]>([
    ['a sequence', 'c', 'a b '],
    ['the first of several that comes', ['zzz', 'd', 'c'], 'a b '],
    ['a sequence at the start', 'a', ''],
    ['the whole text', 'a b c d', ''],
    ['a sequence that does not come', 'x', 'a b c d'],
    ['an empty one, which stops nothing', '', 'a b c d'],
    ['an empty list', [], 'a b c d'],
    ['null', null, 'a b c d'],
  ])('cuts the text before %s', async (_, stop, text) => {
    const { message, finish_reason } = await answerTo('Say "a b c d"', { stop })
    expect([message.content, finish_reason]).toEqual([text, 'stop'])
  })

  it('never cuts inside a character, not even for half of one', async () => {
    expect(await saidTo('Say "a 🤖 b"', { stop: '\ud83e' })).toBe('a 🤖 b')
  })
})

describe.each(['max_tokens', 'max_completion_tokens'])('%s', (limit) => {
  const ended = async (content: string, extra: Body): Promise<unknown[]> => {
    const { message, finish_reason, usage } = await answerTo(content, extra)
    return [message.content, finish_reason, usage.completion_tokens]
  }

  it('cuts the text after exactly so many tokens', async () => {
    const whole = await saidTo(trains)
    for (const tokens of [1, 2, 5, 17]) {
      const [text, ...end] = await ended(trains, { [limit]: tokens })
      expect(end).toEqual(['length', tokens])
      expect([count(text as string), whole.startsWith(text as string)]).toEqual([tokens, true])
    }
  })

  it('changes nothing when the text just fits', async () => {
    const tokens = count('one two three')
    const said = 'Say "one two three"'
    expect(await ended(said, { [limit]: tokens })).toEqual(['one two three', 'stop', tokens])
    expect(await ended(said, { [limit]: tokens - 1 })).toEqual(['one two', 'length', tokens - 1])
  })

  it('holds back a character that it leaves unfinished, and bills its tokens', async () => {
    expect(await ended('Say "🤖🤖"', { [limit]: 3 })).toEqual(['🤖', 'length', 3])
  })

  const inputsOf = ({ message }: Awaited<ReturnType<typeof answerTo>>): unknown[] =>
    (message.tool_calls ?? []).map((call) => call.type === 'function' && call.function.arguments)

  it('cuts the arguments of a call in the middle, and keeps its name', async () => {
    const prompt = 'What is the weather in Constantinople?'
    const [whole] = inputsOf(await answerTo(prompt, { tools: [weather] }))
    const cut = await answerTo(prompt, { tools: [weather], [limit]: 10 })
    expect([cut.finish_reason, cut.usage.completion_tokens]).toEqual(['length', 10])
    expect(cut.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }])
    const [input] = inputsOf(cut)
    expect((whole as string).startsWith(input as string)).toBe(true)
    expect(input).not.toBe(whole)
  })
})

describe('without a limit', () => {
  const long = 'word '.repeat(40_000)
  const repeated = `Say ${long}`

  it('an answer ends after 16,384 tokens, as models do', async () => {
    const { message, finish_reason, usage } = await answerTo(repeated, { max_completion_tokens: 1_000_000 })
    expect([finish_reason, usage.completion_tokens]).toEqual(['length', 16_384])
    expect(long.startsWith(message.content as string)).toBe(true)
  })

  // Otherwise one call could ask for more than a process can hold.
  it('many choices have 131,072 tokens together', async () => {
    const { choices, usage } = await completed(asking(repeated, { n: 128 }))
    expect(new Set(choices.map(({ finish_reason }) => finish_reason))).toEqual(new Set(['length']))
    expect(usage.completion_tokens).toBe(131_072)
  })
})

describe('limits, stop, n and logprobs', () => {
  const requests = fc.record({
    asked: fc.constantFrom<Body>(
      asking(trains),
      asking(`Say "${family}"`),
      asking('A book about trains by Ada', inShape),
      asking('What is the weather in Paris and London?', { tools: [weather] }),
      asking('Tell me about bees', { web_search_options: {} }),
      asking('Tell me about bees [sim:refusal]'),
      asking('Which colours?', { response_format: { type: 'json_object' } }),
    ),
    max_completion_tokens: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    stop: fc.option(fc.constantFrom('e', '"', '👧', ['t', '🤖']), { nil: undefined }),
    logprobs: fc.boolean(),
    n: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  })

  it('never change the text that would have come anyway: what comes is its beginning', async () => {
    const sim = chatSimulator()
    const textsOf = ({ message }: Choice): string[] => [
      message.content ?? message.refusal ?? '',
      ...(message.tool_calls ?? []).map((call) =>
        call.type === 'function' ? call.function.arguments : call.custom.input,
      ),
    ]
    await fc.assert(
      fc.asyncProperty(requests, async ({ asked, n, ...limits }) => {
        const whole = await completed({ ...asked, n: 3 }, sim)
        const cut = await completed({ ...asked, ...limits, n }, sim)
        expect(cut.choices).toHaveLength(n ?? 1)
        for (const [index, choice] of cut.choices.entries()) {
          const expected = textsOf(whole.choices[index] as Choice)
          for (const [at, text] of textsOf(choice).entries())
            expect(expected[at]?.startsWith(text)).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('logprobs', () => {
  it('are not there unless asked for', async () => {
    expect((await answerTo(trains)).logprobs).toBeNull()
    expect((await answerTo(trains, { logprobs: false })).logprobs).toBeNull()
  })

  it.each([trains, `Say "${family}"`, 'Say "𠮷野家で👩🏽‍🚀"', 'Say "naïve café"'])(
    'are one entry for each token, together the text: %s',
    async (prompt) => {
      const { message, logprobs } = await answerTo(prompt, { logprobs: true })
      expect(logprobs?.refusal).toBeNull()
      expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(message.content)
      for (const { token, bytes, logprob, top_logprobs } of logprobs?.content ?? []) {
        expect(bytes).toEqual(utf8(token))
        expect(logprob).toBeLessThanOrEqual(0)
        expect(top_logprobs).toEqual([])
      }
    },
  )

  it.each([0, 1, 5, 20])(
    'show the %i likeliest tokens in each place, the one that was said first',
    async (top) => {
      const { logprobs } = await answerTo(trains, { logprobs: true, top_logprobs: top })
      for (const { token, logprob, bytes, top_logprobs } of logprobs?.content ?? []) {
        expect(top_logprobs).toHaveLength(top)
        if (top > 0) expect(top_logprobs[0]).toEqual({ token, logprob, bytes })
        expect(new Set(top_logprobs.map((entry) => entry.token)).size).toBe(top)
        for (const [at, entry] of top_logprobs.entries()) {
          expect(entry.bytes).toEqual(utf8(entry.token))
          expect(entry.logprob).toBeLessThanOrEqual(top_logprobs[at - 1]?.logprob ?? 0)
        }
        expect(top_logprobs.reduce((sum, entry) => sum + Math.exp(entry.logprob), 0)).toBeLessThanOrEqual(
          1 + 1e-4,
        )
      }
    },
  )

  it('of a refusal stand under refusal', async () => {
    const { message, logprobs } = await answerTo('[sim:refusal] Hi', { logprobs: true })
    expect(logprobs?.content).toBeNull()
    expect(logprobs?.refusal?.map(({ token }) => token).join('')).toBe(message.refusal)
  })
})

describe('service_tier and system_fingerprint', () => {
  it.each([
    [undefined, 'default'],
    [null, 'default'],
    ['auto', 'default'],
    ['default', 'default'],
    ['scale', 'scale'],
    ['flex', 'flex'],
    ['priority', 'priority'],
  ])('a tier of %s is served as %s', async (service_tier, served) => {
    expect((await completed(asking(trains, { service_tier }))).service_tier).toBe(served)
  })

  it('the fingerprint changes with the seed of the simulator only', async () => {
    const of = async (seed: string, prompt: string): Promise<string> =>
      (await completed(asking(prompt), chatSimulator({ seed }))).system_fingerprint
    expect(await of('a', 'x')).toMatch(/^fp_[0-9a-f]{10}$/)
    expect(await of('a', 'x')).toBe(await of('a', 'y'))
    expect(await of('a', 'x')).not.toBe(await of('b', 'x'))
  })
})

describe('models that think', () => {
  const o3 = (content: string, extra: Body = {}) => answerTo(content, { model: 'o3-mini', ...extra })
  const thinking = async (extra: Body = {}, content = 'Say "four"'): Promise<number> =>
    (await o3(content, extra)).usage.completion_tokens_details.reasoning_tokens

  it('count their thoughts in usage, beside the text', async () => {
    const { usage, message } = await o3('Say "four"')
    const { reasoning_tokens } = usage.completion_tokens_details
    expect(message.content).toBe('four')
    expect(reasoning_tokens).toBeGreaterThan(0)
    expect(usage.completion_tokens).toBe(reasoning_tokens + 1)
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
  })

  it('think more with more effort, and not at all with none', async () => {
    const words = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']
    const efforts = await Promise.all(words.map((reasoning_effort) => thinking({ reasoning_effort })))
    expect(efforts[0]).toBe(0)
    expect([...efforts].sort((a, b) => a - b)).toEqual(efforts)
  })

  it.each<[string, Body]>([
    ['text', {}],
    ['a shape', inShape],
    ['a call', { tools: [weather], tool_choice: 'required' }],
  ])('may use up the limit before they say anything (%s)', async (_, extra) => {
    const limits = { reasoning_effort: 'high', max_completion_tokens: 20 }
    const { usage, ...choice } = await o3('Weather in Paris', { ...extra, ...limits })
    expect(choice).toMatchObject({ finish_reason: 'length', message: { content: '', refusal: null } })
    expect(choice.message).not.toHaveProperty('tool_calls')
    expect([usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens]).toEqual([20, 20])
  })
})

it('a prediction changes nothing, and none of its tokens are counted', async () => {
  const prediction = { type: 'content', content: [{ type: 'text', text: 'one two' }] }
  const { message, usage } = await answerTo('Say "one two three four"', { prediction })
  expect([message.content, usage.completion_tokens]).toEqual(['one two three four', 4])
  expect(usage.completion_tokens_details).toMatchObject({
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  })
})
