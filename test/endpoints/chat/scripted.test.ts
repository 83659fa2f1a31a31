/**
 * Stream scripts in chat.create. Usual answers are scripts too: streaming.test.ts has their bytes, and
 * test/scenario/streams proves that a stream put together is the plain body.
 */
import { describe, expect, it } from 'vitest'
import { dataOf, post } from '../../_setup.ts'
import { type Item, scripted } from '../../scenario/streams/_scripted.ts'
import { asking, type Body, type Chunk, completed, only, path } from './_chat.ts'

const question = asking('What is the weather in Paris and London?')
const paris = { name: 'get_weather', arguments: ['{"city":', '"Paris"}'] }
const london = { name: 'get_weather', arguments: ['{"city":"London"}'] }
const withUsage = { stream_options: { include_usage: true } }

async function dataTo(script: readonly Item[], body: Body = question): Promise<string[]> {
  const response = await post(scripted(script), path, { ...body, stream: true })
  return dataOf(await response.text())
}

/** What each chunk says, as JSON texts of its delta; `finish` and `usage` in words. */
async function deltas(script: readonly Item[], body?: Body): Promise<string[]> {
  const data = await dataTo(script, body)
  expect(data.pop()).toBe('[DONE]')
  return data.map((text) => {
    const [choice, ...others] = (JSON.parse(text) as Chunk).choices
    expect(others).toEqual([])
    if (choice === undefined) return 'usage'
    const delta = JSON.stringify(choice.delta).replaceAll(/call_[0-9a-f]{24}/g, 'call_X')
    const shown = choice.index === 0 ? delta : `${choice.index} ${delta}`
    return choice.finish_reason === null ? shown : `${shown} ${choice.finish_reason}`
  })
}

const plain = async (script: readonly Item[], body: Body = question) =>
  only(await completed(body, scripted(script)))

const begun = '{"role":"assistant","content":"","refusal":null}'
const said = (...texts: string[]): string[] => texts.map((text) => JSON.stringify({ content: text }))
/** How a call begins, and a piece of its arguments. */
const called = (index: number, id = 'call_X', head = ''): string =>
  `{${head}"tool_calls":[{"index":${index},"id":"${id}","type":"function","function":` +
  '{"name":"get_weather","arguments":""}}]}'
const argument = (index: number, text: string): string =>
  JSON.stringify({ tool_calls: [{ index, function: { arguments: text } }] })
const role = '"role":"assistant","content":null,'

describe('a scripted stream answers', () => {
  it('with a text in tokens, or in exactly the pieces that the script gives', async () => {
    expect(await deltas([{ text: 'Hello there!' }])).toEqual([
      begun,
      ...said('Hello', ' there', '!'),
      '{} stop',
    ])
    const pieces = ['Hel', 'lo', '', ' there!']
    expect(await deltas([{ text: pieces }])).toEqual([begun, ...said(...pieces), '{} stop'])
  })

  it('with calls that are made together by turns, as different indexes', async () => {
    expect(await deltas([{ toolCalls: [paris, london] }])).toEqual([
      called(0, 'call_X', role),
      called(1),
      argument(0, '{"city":'),
      argument(1, '{"city":"London"}'),
      argument(0, '"Paris"}'),
      '{} tool_calls',
    ])
  })

  it('with calls that are made one after the other, with the ids of the script', async () => {
    const calls = [{ toolCall: { ...paris, id: 'first' } }, { toolCall: { ...london, id: 'second' } }]
    expect(await deltas([{ text: ['Let me look.'] }, ...calls])).toEqual([
      begun,
      ...said('Let me look.'),
      called(0, 'first'),
      argument(0, '{"city":'),
      argument(0, '"Paris"}'),
      called(1, 'second'),
      argument(1, '{"city":"London"}'),
      '{} tool_calls',
    ])
  })

  it('with reasoning before the text, counted as such', async () => {
    const script: Item[] = [{ reasoning: ['Paris', '?'] }, { text: ['Rain.'] }]
    expect(await deltas(script)).toEqual([
      '{"role":"assistant","content":null,"reasoning_content":""}',
      '{"reasoning_content":"Paris"}',
      '{"reasoning_content":"?"}',
      '{"content":"Rain."}',
      '{} stop',
    ])
    const completion = await completed(question, scripted(script))
    expect(completion.usage).toMatchObject({
      completion_tokens: 4,
      completion_tokens_details: { reasoning_tokens: 2 },
    })
    expect(only(completion).message).toMatchObject({ content: 'Rain.', reasoning_content: 'Paris?' })
  })

  it('with citations as annotations of their text', async () => {
    const cited = { text: ['So', ' many.'], citations: [{ url: 'https://a.example/b', title: 'A' }] }
    const url_citation = { start_index: 0, end_index: 8, url: 'https://a.example/b', title: 'A' }
    const annotations = [{ type: 'url_citation', url_citation }]
    expect((await plain([cited])).message.annotations).toEqual(annotations)
    expect((await deltas([cited])).at(-2)).toBe(JSON.stringify({ annotations }))
  })

  it('with a refusal in the place of content', async () => {
    expect((await deltas([{ refusal: ['No', '.'] }])).slice(1)).toEqual([
      '{"refusal":"No"}',
      '{"refusal":"."}',
      '{} stop',
    ])
  })

  it.each(['stop', 'length', 'tool_calls', 'content_filter'] as const)(
    'with the finish %s, where the script says it',
    async (finish) => {
      expect((await deltas([{ text: ['Hi'] }, { finish }])).at(-1)).toBe(`{} ${finish}`)
      expect((await plain([{ finish }, { text: 'Hi' }])).finish_reason).toBe(finish)
    },
  )
})

describe('the usage of a script', () => {
  const usageTo = async (usage: Extract<Item, { usage: unknown }>['usage']) =>
    (await completed(question, scripted([{ reasoning: 'Hm' }, { text: 'Hello there' }, { usage }]))).usage

  it('replaces what it names and leaves the rest as counted', async () => {
    const counted = await usageTo({})
    expect(counted).toMatchObject({
      completion_tokens: 3,
      completion_tokens_details: { reasoning_tokens: 1 },
      prompt_tokens_details: { cached_tokens: 0 },
    })
    expect(await usageTo({ input: 100, cached: 40 })).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 3,
      total_tokens: 103,
      prompt_tokens_details: { cached_tokens: 40 },
    })
    expect(await usageTo({ output: 50 })).toMatchObject({
      prompt_tokens: counted.prompt_tokens,
      completion_tokens: 50,
      total_tokens: counted.prompt_tokens + 50,
      completion_tokens_details: { reasoning_tokens: 1 },
    })
  })

  it('is the same in the stream, and comes there only when asked for', async () => {
    const script: Item[] = [{ text: ['Hi'] }, { usage: { input: 7, output: 8, reasoning: 2, cached: 3 } }]
    expect(await deltas(script)).not.toContain('usage')
    const data = await dataTo(script, { ...question, ...withUsage })
    expect((JSON.parse(data.at(-2) as string) as Chunk).usage).toEqual(
      (await completed(question, scripted(script))).usage,
    )
  })
})
