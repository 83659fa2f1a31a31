/**
 * What a scenario can say beside the words of an answer: errors, choices, bytes.
 */
import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.ts'
import { dataOf, post, simulator } from '../../_setup.ts'
import { asking, type Chunk, completed, path } from '../../endpoints/chat/_chat.ts'
import { request, send } from '../../endpoints/messages/_messages.ts'

const under = (then: object, more: object = {}) =>
  simulator({
    clock: 'auto',
    scenarios: [
      {
        title: 'One answer',
        rules: [{ when: { operation: ['chat.create', 'messages.create'] }, then }],
        ...more,
      } as ScenarioInput,
    ],
  })
type Sim = ReturnType<typeof under>

async function chunksOf(sim: Sim, body: object = {}): Promise<Chunk[]> {
  const text = await (await post(sim, path, asking('Hi', { stream: true, ...body }))).text()
  return dataOf(text).flatMap((data) => (data === '[DONE]' ? [] : [JSON.parse(data) as Chunk]))
}

describe('an error', () => {
  it('has any status of 400 to 599, and any type', async () => {
    const envelope = { type: 'legal', message: 'No.' }
    const sim = under({ error: { status: 451, ...envelope } })
    const ofChat = await post(sim, path, asking('Hi'))
    expect([ofChat.status, await ofChat.json()]).toMatchObject([451, { error: { ...envelope, code: 451 } }])
    const ofMessages = await send(sim, request('Hi'))
    expect([ofMessages.status, await ofMessages.json()]).toMatchObject([
      451,
      { type: 'error', error: envelope },
    ])
  })

  it.each([
    [402, 'billing_error'],
    [409, 'invalid_request_error'],
    [507, 'api_error'],
    [529, 'overloaded_error'],
  ])('of status %i has a type that clients of messages know', async (status, type) => {
    const response = await send(under({ error: { status } }), request('Hi'))
    const { error } = (await response.json()) as { error: { type: string } }
    expect([response.status, error.type]).toEqual([status, type])
  })

  it('needs a status if its type is unknown', () => {
    expect(() => under({ error: { type: 'rate_limit' } })).toThrow('or another type with a `status`')
  })
})

describe('choices', () => {
  const choices = [{ text: 'one' }, { script: [{ text: 'two words' }, { finish: 'length' }] }]

  it('differ, plain and streamed, with one usage for all', async () => {
    const plain = await completed(asking('Hi', { n: 3 }), under({ choices }))
    expect(plain.choices.map(({ message, finish_reason }) => [message.content, finish_reason])).toEqual([
      ['one', 'stop'],
      ['two words', 'length'],
      ['two words', 'length'],
    ])
    const chunks = await chunksOf(under({ choices }), { n: 3, stream_options: { include_usage: true } })
    const said = ['', '', '']
    for (const { index, delta } of chunks.flatMap((chunk) => chunk.choices))
      said[index] += delta.content ?? ''
    expect(said).toEqual(['one', 'two words', 'two words'])
    expect(chunks.at(-1)?.usage).toEqual(plain.usage)
  })

  it.each([
    [{ choices, text: 'x' }, 'conflicts with `choices`'],
    [{ choices: [{}] }, 'expected either `text` or `script`'],
    [{ stream: { script: [{ text: 'a b', logprobs: [-1] }] } }, '(write `text` as a list of chunks)'],
    [
      { stream: { script: [{ text: ['a', 'b'], logprobs: [-1] }] } },
      'expected one log probability for each chunk',
    ],
  ])('and invalid ones are rejected: %j', (then, message) => {
    expect(() => under(then)).toThrow(message)
  })
})

describe('bytes from a file', () => {
  const gif = 'R0lGODlhAQABAAAAACwAAAAAAQABAAA='

  it('can be a whole response, also in parts', async () => {
    const rules = [{ when: { operation: 'videos.content' }, then: { response: { base64: gif } } }]
    const sim = under({}, { given: { videos: [{ id: 'video_1' }] }, rules })
    const get = (variant: string, headers = {}) =>
      sim.fetch(`http://gateway.test/v1/videos/video_1/content${variant}`, {
        headers: { authorization: 'Bearer sk-scenario', ...headers },
      })
    const whole = await get('')
    expect(whole.headers.get('content-type')).toBe('image/gif')
    expect(Buffer.from(await whole.arrayBuffer()).toString('base64')).toBe(gif)
    const part = await get('', { range: 'bytes=0-2' })
    expect([part.status, await part.text()]).toEqual([206, 'GIF'])
  })

  it('stay in the folder of the scenario', () => {
    const given = { files: [{ path: 'a', content: { file: '../../../etc/passwd' } }] }
    expect(() => under({}, { given })).toThrow('expected a file in the working directory or a subfolder')
    expect(() => under({ response: { file: '/etc/passwd' }, offContract: true })).toThrow('allow its folder')
  })
})
