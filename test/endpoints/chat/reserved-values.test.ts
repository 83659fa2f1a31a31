/**
 * What reserved values make of the texts and calls of chat, as a model id and inside the prompt, with no set-up
 * at all.
 */
import { describe, expect, it } from 'vitest'
import { reservedKeys } from '../../../src/scenario/reserved/words.ts'
import { post } from '../../_setup.ts'
import { asking, type Body, chatSimulator, completed, envelope, only, path, saidTo } from './_chat.ts'

const question = 'Say "one two three four"'
const ways: readonly [string, (word: string) => Body][] = [
  ['as the model', (word) => ({ ...asking(question), model: `sim-${word}` })],
  ['in the prompt', (word) => asking(`[sim:${word}] ${question}`)],
  [
    'in a part of the prompt',
    (word) => asking([question, `[sim:${word}]`].map((text) => ({ type: 'text', text }))),
  ],
]

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

  it('words about streams change nothing in a plain answer', async () => {
    for (const word of ['slow', 'disconnect-after-1', 'stall-after-1', 'error-after-1', 'missing-end'])
      expect(only(await completed(withWord(word))).message.content).toBe('one two three four')
  })
})

describe('in other answers', () => {
  it('a word that nobody knows changes nothing', async () => {
    expect(await saidTo('Say "x" [sim:unheard-of]')).toBe('x')
    expect(await saidTo('Say "x"', { model: 'sim-unheard-of' })).toBe('x')
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
