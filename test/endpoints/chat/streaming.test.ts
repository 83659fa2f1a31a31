/** The stream of chat, byte by byte. `C` stands for what every chunk begins with. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataOf, post, simulator } from '../../_setup.ts'
import {
  answerTo,
  asking,
  type Body,
  type Choice,
  chatSimulator,
  chunksOf,
  completed,
  joined,
  model,
  path,
  streamed,
  weather,
  withoutIds,
} from './_chat.ts'

const head = new RegExp(
  [
    '^\\{("id":"chatcmpl-[0-9a-f]{29}"',
    '"object":"chat\\.completion\\.chunk"',
    '"created":1767225600',
    '"model":"[^"]+"',
    '"service_tier":"default"',
    '"system_fingerprint":"fp_[0-9a-f]{10}"),',
  ].join(','),
)
const withUsage = { stream_options: { include_usage: true } }
/** The stream with `C` for the part that is the same in every chunk, and with its ids numbered. */
async function wire(body: Body): Promise<string[]> {
  const text = await streamed(body)
  expect(text.endsWith('\n\n')).toBe(true)
  const lines = text.slice(0, -2).split('\n\n')
  const common = new Set(lines.slice(0, -1).map((line) => head.exec(line.replace(/^data: /, ''))?.[1]))
  expect([...common]).toEqual([expect.any(String)])
  const ids = new Map<string, string>()
  return lines.map((line) =>
    line
      .replace([...common][0] as string, 'C')
      .replace(/\b(call|audio)_[0-9a-f]{16,}/g, (id, kind: string) => {
        if (!ids.has(id)) ids.set(id, `${kind}_${ids.size + 1}`)
        return ids.get(id) as string
      }),
  )
}

const choice = (delta: string, finish = 'null', index = 0, logprobs = 'null'): string =>
  `data: {C,"choices":[{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}]}`
const begun = choice('{"role":"assistant","content":"","refusal":null}')
const said = (text: string): string => choice(`{"content":${JSON.stringify(text)}}`)
const end = (finish: string): string[] => [choice('{}', `"${finish}"`), 'data: [DONE]']

describe('byte for byte', () => {
  it('a text', async () => {
    expect(await wire(asking('Say "Hello there!"'))).toEqual([
      [
        'data: {C,"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},',
        '"logprobs":null,"finish_reason":null}]}',
      ].join(''),
      'data: {C,"choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}]}',
      'data: {C,"choices":[{"index":0,"delta":{"content":" there"},"logprobs":null,"finish_reason":null}]}',
      'data: {C,"choices":[{"index":0,"delta":{"content":"!"},"logprobs":null,"finish_reason":null}]}',
      'data: {C,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}',
      'data: [DONE]',
    ])
  })

  it('a text with usage', async () => {
    const unspent = (line: string): string => line.replace(/}$/, ',"usage":null}')
    expect(await wire(asking('Say "Hi"', withUsage))).toEqual([
      ...[begun, said('Hi'), choice('{}', '"stop"')].map(unspent),
      [
        'data: {C,"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":1,"total_tokens":12,',
        '"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0},"completion_tokens_details":',
        '{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,',
        '"rejected_prediction_tokens":0}}}',
      ].join(''),
      'data: [DONE]',
    ])
  })

  it('nothing of an obfuscation, asked for or not', async () => {
    const asked = asking('Say "Hi"')
    expect(await wire({ ...asked, stream_options: { include_obfuscation: true } })).toEqual(await wire(asked))
  })

  it('two tool calls', async () => {
    const call = (delta: string): string => choice(`{"tool_calls":[${delta}]}`)
    const input = (index: number, place: string): string[] =>
      ['{\\"', 'city', '\\":\\"', place, '\\"}'].map((piece) =>
        call(`{"index":${index},"function":{"arguments":"${piece}"}}`),
      )
    expect(await wire(asking('What is the weather in Paris and London?', { tools: [weather] }))).toEqual([
      choice(
        [
          '{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function",',
          '"function":{"name":"get_weather","arguments":""}}]}',
        ].join(''),
      ),
      ...input(0, 'Paris'),
      call('{"index":1,"id":"call_2","type":"function","function":{"name":"get_weather","arguments":""}}'),
      ...input(1, 'London'),
      ...end('tool_calls'),
    ])
  })

  it('a legacy function call', async () => {
    expect(await wire(asking('What is the weather in Paris?', { functions: [weather.function] }))).toEqual([
      choice('{"role":"assistant","content":null,"function_call":{"name":"get_weather","arguments":""}}'),
      ...['{\\"', 'city', '\\":\\"', 'Paris', '\\"}'].map((piece) =>
        choice(`{"function_call":{"arguments":"${piece}"}}`),
      ),
      ...end('function_call'),
    ])
  })

  it('a refusal', async () => {
    expect(await wire(asking('[sim:refusal] Hi'))).toEqual([
      choice('{"role":"assistant","content":null,"refusal":""}'),
      ...["I'm", ' sorry', ',', ' but', ' I', " can't", ' help', ' with', ' that', '.'].map((text) =>
        choice(`{"refusal":${JSON.stringify(text)}}`),
      ),
      ...end('stop'),
    ])
  })

  it('log probabilities', async () => {
    const asked = { logprobs: true, top_logprobs: 1 }
    const entry = (await answerTo('Say "Hi"', asked)).logprobs?.content?.[0]
    const token = { token: 'Hi', bytes: [72, 105] }
    expect(entry).toMatchObject({ ...token, top_logprobs: [token] })
    expect(await wire(asking('Say "Hi"', asked))).toEqual([
      begun,
      choice('{"content":"Hi"}', 'null', 0, `{"content":[${JSON.stringify(entry)}],"refusal":null}`),
      ...end('stop'),
    ])
  })
})

describe('the deltas together', () => {
  const words = [
    ...[
      'hello ',
      '😀',
      '👨‍👩‍👧‍👦',
      '𠮷',
      '漢字',
      'e\u0301',
      'ก็',
      '\ufffd',
      '🤖🤖',
      ' naïve',
      '<|endoftext|>',
    ],
    ...['\\', '\u2028', '\u0000', '🇩🇪', "don't"],
  ]
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
  const kinds: readonly ((text: string) => Body)[] = [
    (text) => asking(text),
    (text) => asking(`Repeat after me: x${text}x`),
    (text) => asking(text, { tools: [{ type: 'custom', custom: { name: 'run' } }], tool_choice: 'required' }),
    (text) => asking(`Weather in ${text}`, { tools: [weather], tool_choice: 'required' }),
    (text) => asking(text, { functions: [weather.function], function_call: { name: 'get_weather' } }),
    (text) =>
      asking(`A book called "${text}"`, {
        response_format: { type: 'json_schema', json_schema: { name: 'book', schema: title } },
      }),
    (text) => asking(`[sim:refusal] ${text}`),
    (text) =>
      asking(`Say "${text}"`, { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'flac' } }),
    (text) => asking(`Tell me about ${text}`, { web_search_options: {} }),
  ]
  const limits = fc.record({
    n: fc.integer({ min: 1, max: 3 }),
    max_completion_tokens: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    stop: fc.option(fc.constantFrom('e', '"', '👧', ['t', '🤖']), { nil: undefined }),
    logprobs: fc.boolean(),
  })
  // Where nothing was said there was no token to be likely.
  const withoutEmpty = ({ logprobs, ...choice }: Choice): unknown => ({
    ...choice,
    logprobs: (logprobs?.content ?? logprobs?.refusal)?.length === 0 ? null : logprobs,
  })

  it('are the plain body, for every kind of answer, and no text is cut inside a character', async () => {
    const sim = chatSimulator()
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...kinds), limits, async (text, asked, extra) => {
        const request = { ...asked(text), ...extra }
        const plain = await completed(request, sim)
        const chunks = await chunksOf({ ...request, ...withUsage }, sim)
        const choices = plain.choices.map(withoutEmpty)
        expect(withoutIds(joined(chunks))).toEqual(withoutIds({ ...plain, choices }))
        expect(JSON.stringify(chunks)).not.toMatch(/\\ud[89a-f]/)
      }),
      { numRuns: 80 },
    )
  })
})

describe('a stream', () => {
  it('has the headers of one', async () => {
    const response = await post(chatSimulator(), path, { ...asking('Hi'), stream: true })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-request-id': expect.stringMatching(/^req_/),
    })
  })

  it('is rejected like a plain call, as JSON with its status', async () => {
    const response = await post(chatSimulator(), path, { model, messages: [], stream: true })
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json'])
  })

  it('comes in virtual time: the first event after 120 ms, the others 15 ms apart', async () => {
    const sim = simulator()
    const response = await post(sim, path, { ...asking('Say "one two"', withUsage), stream: true })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const next = async (): Promise<string[]> =>
      dataOf(new TextDecoder().decode((await reader.read()).value)).map(
        (data) => /"delta":(\{[^}]*\})/.exec(data)?.[1] ?? data.slice(-6),
      )
    for (const [ms, delta] of [
      [120, '{"role":"assistant","content":"","refusal":null}'],
      [15, '{"content":"one"}'],
      [15, '{"content":" two"}'],
    ] as const) {
      sim.clock.advance(ms)
      expect(await next()).toEqual([delta])
    }
    sim.clock.advance(15)
    const rest = [...(await next())]
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
      rest.push(...dataOf(new TextDecoder().decode(value)).map((data) => data.slice(-6)))
    expect(rest).toEqual(['{}', expect.any(String), '[DONE]'])
  })

  it('takes its pace from chat.firstEventAfter and chat.eventInterval', async () => {
    const sim = simulator({ settings: { chat: { firstEventAfter: '1s', eventInterval: '2s' } } })
    const response = await post(sim, path, { ...asking('Say "one"'), stream: true })
    const reading = response.text()
    sim.clock.advance('5s')
    expect(dataOf(await reading).at(-1)).toBe('[DONE]')
    expect(sim.journal().at(-1)).toMatchObject({ ended: 'completed', response: { eventCount: 4 } })
  })
})
