/**
 * The reserved values of chat reach what they say, as a model id and inside the prompt, with no set-up at
 * all.
 */
import { describe, expect, it } from 'vitest'
import { createServiceVocabulary } from '../../../src/endpoints/registry.ts'
import type { Simulator } from '../../../src/index.ts'
import type { Operation } from '../../../src/protocol/operations.ts'
import { reservedKeys, reservedWords } from '../../../src/scenario/reserved/words.ts'
import { dataOf, post, simulator } from '../../_setup.ts'
import {
  answerTo,
  asking,
  type Body,
  type Chunk,
  chatSimulator,
  completed,
  envelope,
  model,
  only,
  path,
  saidTo,
  weather,
} from './_chat.ts'

const question = 'Say "one two three four"'
const ways: readonly [string, (word: string) => Body][] = [
  ['as the model', (word) => ({ ...asking(question), model: `sim-${word}` })],
  ['in the prompt', (word) => asking(`[sim:${word}] ${question}`)],
  [
    'in a part of the prompt',
    (word) => asking([question, `[sim:${word}]`].map((text) => ({ type: 'text', text }))),
  ],
]

const response = async (
  body: Body,
  sim: Simulator = chatSimulator(),
): Promise<{ status: number; body: unknown; headers: Headers }> => {
  const response = await post(sim, path, body)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

it('every word for chat is tried here', () => {
  const words = reservedWords
    .filter(({ on }) => on(createServiceVocabulary().operation('chat.create') as Operation))
    .map(({ word }) => word)
  expect(words.sort().join(' ')).toBe(
    'content-filter disconnect-after-N error-after-N forbidden length missing-end overloaded rate-limit ' +
      'rate-limit-once refusal server-error server-error-once slow stall-after-N',
  )
})

describe.each(ways)('a reserved word %s', (_, withWord) => {
  const streaming = (word: string, sim: Simulator = chatSimulator()): Promise<Response> =>
    post(sim, path, { ...withWord(word), stream: true })
  const readerOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader()
  const expectRejection = async (
    word: string,
    code: number,
    type: string,
    words: string,
    sim?: Simulator,
  ) => {
    const message = `${words} (reserved value ${word}).`
    const { status, body, headers } = await response(withWord(word), sim)
    expect([status, body]).toEqual([code, envelope({ type, code, message })])
    return headers
  }

  it('rate-limit: 429 every time, with how long to wait', async () => {
    const sim = chatSimulator()
    for (let time = 0; time < 3; time++) {
      const words = 'Rate limit reached: retry after 1 s'
      const headers = await expectRejection('rate-limit', 429, 'rate_limit_error', words, sim)
      expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['1', '1000'])
    }
  })

  it('rate-limit-once: 429 the first time, then the answer', async () => {
    const sim = chatSimulator()
    expect((await response(withWord('rate-limit-once'), sim)).status).toBe(429)
    expect(only(await completed(withWord('rate-limit-once'), sim)).message.content).toBe('one two three four')
  })

  it('overloaded: 503', async () => {
    const words = 'The engine is currently overloaded, please try again later'
    await expectRejection('overloaded', 503, 'overloaded_error', words)
  })

  it('server-error: 500 every time; server-error-once: the first time', async () => {
    const sim = chatSimulator()
    const words = 'The server had an error while processing your request'
    for (let time = 0; time < 2; time++) await expectRejection('server-error', 500, 'api_error', words, sim)
    expect((await response(withWord('server-error-once'), sim)).status).toBe(500)
    expect((await response(withWord('server-error-once'), sim)).status).toBe(200)
  })

  it('forbidden: 403', async () => {
    await expectRejection('forbidden', 403, 'permission_error', 'No access permission for this request')
  })

  it('refusal: a refusal in the place of the content', async () => {
    expect(only(await completed(withWord('refusal')))).toMatchObject({
      finish_reason: 'stop',
      message: { content: null, refusal: "I'm sorry, but I can't help with that." },
    })
  })

  it.each([
    ['content-filter', 'content_filter'],
    ['length', 'length'],
  ])('%s: the answer ends in the middle', async (word, finish) => {
    const { choices, usage } = await completed(withWord(word))
    expect(choices[0]).toMatchObject({ finish_reason: finish, message: { content: 'one two' } })
    expect(usage.completion_tokens).toBe(2)
  })

  it('slow: a stream with its first event after 10 s, then one event per second', async () => {
    const sim = simulator()
    const reader = readerOf(await streaming('slow', sim))
    const { at: start } = sim.journal()[0] as { at: number }
    const events = (ms: number): number | undefined => {
      sim.clock.advance(ms)
      return sim.journal()[0]?.eventCount
    }
    expect([events(9999), events(1), events(999), events(1)]).toEqual([0, 1, 1, 2])
    expect(sim.clock.now() - start).toBe(11_000)
    await reader.cancel()
  })

  it('a word whose fault is still to come leaves a rejected request alone', async () => {
    const sim = chatSimulator()
    const response = await post(sim, path, {
      ...withWord('disconnect-after-2'),
      stream: true,
      temperature: 9,
    })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'temperature' } }])
    expect(sim.journal()).toMatchObject([{ status: 400, faults: [], ended: 'completed' }])
  })

  it('disconnect-after-N: the stream breaks after N events', async () => {
    const reader = readerOf(await streaming('disconnect-after-2'))
    let text = ''
    const reading = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += new TextDecoder().decode(part.value)
    })()
    await expect(reading).rejects.toThrow()
    expect(dataOf(text)).toHaveLength(2)
  })

  it('stall-after-N: the stream says nothing more after N events and stays open', async () => {
    const sim = chatSimulator()
    const reader = readerOf(await streaming('stall-after-3', sim))
    let text = ''
    while (dataOf(text).length < 3) text += new TextDecoder().decode((await reader.read()).value)
    const more = reader.read()
    expect(await Promise.race([more, new Promise((resolve) => setImmediate(resolve, 'silence'))])).toBe(
      'silence',
    )
    expect(sim.journal().at(-1)?.ended).toBe('open')
    await reader.cancel()
    await more
  })

  it('error-after-N: the stream ends with an error event after N events', async () => {
    const data = dataOf(await (await streaming('error-after-2')).text()).map(
      (text) => JSON.parse(text) as Chunk & { error?: unknown },
    )
    expect(data).toHaveLength(3)
    expect(data.slice(0, 2).map(({ choices }) => choices.length)).toEqual([1, 1])
    expect(data[2]).toEqual(
      envelope({
        type: 'api_error',
        code: 500,
        message: 'The server had an error while streaming (reserved value error-after).',
      }),
    )
  })

  it('missing-end: the stream ends without [DONE]', async () => {
    const data = dataOf(await (await streaming('missing-end')).text())
    expect(data).toHaveLength(6)
    expect(JSON.parse(data.at(-1) as string)).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
  })

  it('words about streams change nothing in a plain answer', async () => {
    for (const word of ['slow', 'disconnect-after-1', 'stall-after-1', 'error-after-1', 'missing-end'])
      expect(only(await completed(withWord(word))).message.content).toBe('one two three four')
  })
})

describe('in other answers', () => {
  it.each([
    ['content-filter', 'content_filter'],
    ['length', 'length'],
  ])('%s: a call ends in the middle', async (word, finish) => {
    const prompt = `What is the weather in Constantinople? [sim:${word}]`
    const { finish_reason, message } = await answerTo(prompt, { tools: [weather] })
    expect(finish_reason).toBe(finish)
    const [call] = message.tool_calls ?? []
    expect(() => JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toThrow(SyntaxError)
  })

  it('a reserved word is nothing to speak about', async () => {
    expect(await saidTo('[sim:length] Tell me about trains')).not.toContain('sim:')
    expect(await saidTo('Say trains [sim:missing-end]')).toBe('trains')
  })

  it('a word that nobody knows changes nothing', async () => {
    expect(await saidTo('Say "x" [sim:unheard-of]')).toBe('x')
    expect(await saidTo('Say "x"', { model: 'sim-unheard-of' })).toBe('x')
  })

  it('only the last message of the user counts', async () => {
    const messages = [
      { role: 'user', content: '[sim:overloaded]' },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: 'Say "x"' },
    ]
    expect(only(await completed({ model, messages })).message.content).toBe('x')
  })
})

describe('reserved keys and models', () => {
  it.each(reservedKeys.map(({ contains }) => contains))('a key that contains "%s"', async (word) => {
    const response = await post(chatSimulator(), path, asking('Hi'), { authorization: `Bearer sk-${word}-1` })
    const [code, type] =
      word === 'forbidden' ? ([403, 'permission_error'] as const) : ([401, 'authentication_error'] as const)
    const message = expect.stringContaining(`the key contains the reserved word "${word}"`)
    expect([response.status, await response.json()]).toEqual([code, envelope({ type, code, message })])
  })

  it('no-such-model does not exist', async () => {
    const message = 'The model `no-such-model` does not exist or you do not have access to it.'
    expect(await response({ ...asking('Hi'), model: 'no-such-model' })).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', message } },
    })
  })
})
