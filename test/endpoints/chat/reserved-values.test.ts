/**
 * What reserved values make of the texts and calls of chat, as a model id and inside the prompt, with no set-up
 * at all.
 */
import { describe, expect, it } from 'vitest'
import { createServiceVocabulary } from '../../../src/endpoints/registry.ts'
import type { Operation } from '../../../src/protocol/operations.ts'
import { reservedKeys, reservedWords } from '../../../src/scenario/reserved/words.ts'
import { post } from '../../_setup.ts'
import {
  answerTo,
  asking,
  type Body,
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

it('every word for chat is tried here, or for every API in test/endpoints/reserved-values.test.ts', () => {
  const words = reservedWords
    .filter(({ on }) => on(createServiceVocabulary().operation('chat.create') as Operation))
    .map(({ word }) => word)
  expect(words.sort().join(' ')).toBe(
    'content-filter disconnect-after-N error-after-N forbidden length missing-end overloaded rate-limit ' +
      'rate-limit-once refusal server-error server-error-once slow stall-after-N',
  )
})

describe.each(ways)('a reserved word %s', (_, withWord) => {
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

  it('a word whose fault is still to come leaves a rejected request alone', async () => {
    const sim = chatSimulator()
    const response = await post(sim, path, {
      ...withWord('disconnect-after-2'),
      stream: true,
      temperature: 9,
    })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'temperature' } }])
    expect(sim.journal()).toMatchObject([
      { response: { status: 400 }, cause: { faults: [] }, ended: 'completed' },
    ])
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
})
