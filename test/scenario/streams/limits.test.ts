/** Scripts obey the limits of the call that they answer, in both families that talk, plain and streamed. */
import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.ts'
import { dataOf, post, simulator } from '../../_setup.ts'
import { asking, type Body, type Chunk, completed, only, path } from '../../endpoints/chat/_chat.ts'
import { type Message, messageOf, request, streamOf } from '../../endpoints/messages/_messages.ts'
import type { Item } from './_scripted.ts'

const said = (then: object, when: object = {}) =>
  simulator({
    clock: 'auto',
    scenarios: [
      {
        title: 'One answer',
        rules: [{ when: { operation: ['chat.create', 'messages.create'], ...when }, then }],
      } as ScenarioInput,
    ],
  })
const saying = (...script: readonly Item[]) => said({ stream: { script } })

/** What chat says plain and streamed: text, finish reason, tokens; both must be the same. */
async function chat(sim: ReturnType<typeof said>, body: Body): Promise<unknown[]> {
  const plain = await completed(asking('Hi', body), sim)
  const { message, finish_reason } = only(plain)
  const streamed = asking('Hi', { ...body, stream: true, stream_options: { include_usage: true } })
  const data = dataOf(await (await post(sim, path, streamed)).text()).slice(0, -1)
  const chunks = data.map((one) => JSON.parse(one) as Chunk)
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  const result = [message.content ?? '', finish_reason, plain.usage.completion_tokens]
  expect([text, chunks.at(-2)?.choices[0]?.finish_reason, chunks.at(-1)?.usage?.completion_tokens]).toEqual(
    result,
  )
  return result
}

/** The same of messages: texts, stop reason, stop sequence, tokens. */
async function message(sim: ReturnType<typeof said>, body: Body): Promise<unknown[]> {
  const brief = ({ content, stop_reason, stop_sequence, usage }: Message): unknown[] => [
    content.map(({ text }) => text ?? '').join('|'),
    stop_reason,
    stop_sequence,
    usage.output_tokens,
  ]
  const plain = brief(await messageOf(sim, request('Hi', body)))
  expect(brief(await streamOf(sim, request('Hi', body)))).toEqual(plain)
  return plain
}

const fruit: Item = { text: 'one, two, three and four' }

describe('a script is cut at the limit of its request', () => {
  it('after the last token of max_tokens or max_completion_tokens', async () => {
    expect(await chat(saying(fruit), { max_tokens: 3 })).toEqual(['one, two', 'length', 3])
    expect(await chat(saying(fruit), { max_completion_tokens: 3 })).toEqual(['one, two', 'length', 3])
    expect(await message(saying(fruit), { max_tokens: 3 })).toEqual(['one, two', 'max_tokens', null, 3])
  })

  it('including reasoning, with chunks split where necessary', async () => {
    const sim = saying({ reasoning: 'Hmm, fruit.' }, { text: ['one, two, three', ' and four'] })
    const [text, finish] = await chat(sim, { max_completion_tokens: 7 })
    expect([text, finish]).toEqual(['one, two', 'length'])
    const short = saying({ reasoning: 'Hmm, fruit.' }, fruit)
    expect((await chat(short, { max_completion_tokens: 2 })).slice(0, 2)).toEqual(['', 'length'])
  })

  it('before a stop sequence, even across two items', async () => {
    const sim = saying({ text: 'one END' }, { wait: '1s' }, { text: 'ED two' })
    expect(await chat(sim, { stop: ['ENDED', 'two'] })).toEqual(['one ', 'stop', expect.any(Number)])
    expect(await message(sim, { stop_sequences: ['ENDED', 'two'] })).toEqual([
      'one ',
      'stop_sequence',
      'ENDED',
      expect.any(Number),
    ])
  })

  it('inside the arguments of a tool call, with the matching finish reason', async () => {
    const call: Item = { toolCall: { name: 'buy', arguments: '{"fruit":"apples and pears and plums"}' } }
    const limited = asking('Hi', { max_tokens: 9 })
    const { finish_reason, message: said } = only(
      await completed(limited, saying(call, { finish: 'tool_calls' })),
    )
    const [{ function: bought }] = said.tool_calls as unknown as [{ function: { arguments: string } }]
    expect([finish_reason, '{"fruit":"apples and pears and plums"}'.startsWith(bought.arguments)]).toEqual([
      'length',
      true,
    ])
    expect(await message(saying(call), { max_tokens: 9 })).toEqual(['', 'max_tokens', null, 9])
  })

  it('and nothing after the limit is sent or executed', async () => {
    const sim = saying(fruit, { wait: '1h' }, { raw: ': never\n\n' }, { fault: 'disconnect' })
    expect(await chat(sim, { max_tokens: 2 })).toEqual(['one,', 'length', 2])
  })

  it('unless it sets its own usage or finish reason, or violates the contract intentionally', async () => {
    const whole = 'one, two, three and four'
    expect(await chat(saying(fruit, { usage: { output: 2 } }), { max_tokens: 2 })).toEqual([whole, 'stop', 2])
    expect(await message(saying(fruit, { finish: 'length' }), { max_tokens: 2 })).toEqual([
      whole,
      'max_tokens',
      null,
      2,
    ])
    const [text, finish] = await chat(said({ text: whole, offContract: true }), {
      max_tokens: 2,
      stop: 'four',
    })
    expect([text, finish]).toEqual([whole, 'stop'])
  })
})

describe('a script ends with its finish reason', () => {
  it.each([
    ['stop', 'stop', 'end_turn'],
    ['end_turn', 'stop', 'end_turn'],
    ['max_tokens', 'length', 'max_tokens'],
    ['tool_use', 'tool_calls', 'tool_use'],
    ['function_call', 'function_call', 'tool_use'],
    ['pause_turn', 'stop', 'pause_turn'],
    ['refusal', 'content_filter', 'refusal'],
    ['model_context_window_exceeded', 'length', 'model_context_window_exceeded'],
  ] as const)('%s is %s in chat and %s in messages', async (finish, ofChat, ofMessages) => {
    const sim = saying({ text: 'Well' }, { finish })
    expect((await chat(sim, {}))[1]).toBe(ofChat)
    expect((await message(sim, {}))[1]).toBe(ofMessages)
  })

  it('stop_sequence, with the given value', async () => {
    expect(await message(saying({ text: 'a' }, { finish: { stop_sequence: 'END' } }), {})).toEqual([
      'a',
      'stop_sequence',
      'END',
      1,
    ])
  })

  it('stop_sequence without a value, with the first one of the request', async () => {
    const stopping = (stop_sequences: object) =>
      said({ stream: { script: [{ text: 'a' }, { finish: 'stop_sequence' }] } }, { body: { stop_sequences } })
    const any = stopping({ exists: true })
    expect(await message(any, { stop_sequences: ['x', 'y'] })).toEqual(['a', 'stop_sequence', 'x', 1])
    expect(await message(any, { stop_sequences: [] })).toEqual(['a', 'end_turn', null, 1])
  })
})
