/**
 * Stream scripts in messages.create. Usual answers are scripts too: stream.test.ts has their bytes, and
 * test/scenario/streams proves that a stream put together is the plain body.
 */
import { describe, expect, it } from 'vitest'
import { type Item, scripted } from '../../scenario/streams/_scripted.ts'
import { eventsOf, messageOf, request, send, streamOf } from './_messages.ts'

const question = request('What is the weather in Paris and London?')
const paris = { name: 'get_weather', arguments: ['{"city":', '"Paris"}'] }
const london = { name: 'get_weather', arguments: { city: 'London' } }
const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 4000 }

/** Each event of a stream but the first, without what every one of its kind has. */
async function said(
  script: readonly Item[],
  body: Readonly<Record<string, unknown>> = question,
): Promise<unknown[]> {
  const [first, ...rest] = eventsOf(await (await send(scripted(script), { ...body, stream: true })).text())
  expect(first?.type).toBe('message_start')
  return rest.map((event) => {
    if (event.type === 'content_block_start') return [event.index, event.content_block]
    if (event.type === 'content_block_delta') {
      const { type: _, ...delta } = event.delta
      return [event.index, ...Object.values(delta)]
    }
    if (event.type === 'content_block_stop') return `${event.index} stop`
    return event.type === 'message_delta' ? event.delta.stop_reason : event.type
  })
}
const plain = (script: readonly Item[], body: unknown = question) => messageOf(scripted(script), body)
const thought = [0, { type: 'thinking', thinking: '', signature: '' }]
const text = (index: number) => [index, { type: 'text', text: '' }]
const toolUse = (index: number, id: unknown = expect.stringMatching(/^toolu_[0-9a-f]{24}$/)) => [
  index,
  { type: 'tool_use', id, name: 'get_weather', input: {} },
]

describe('a scripted stream answers', () => {
  it('with calls as blocks one after the other, be they made together or not', async () => {
    const expected = [
      ...[toolUse(0), 'ping', [0, ''], [0, '{"city":'], [0, '"Paris"}'], '0 stop'],
      ...[toolUse(1, 'mine'), [1, ''], [1, '{"city":"London"}'], '1 stop'],
      ...['tool_use', 'message_stop'],
    ]
    const mine = { ...london, arguments: ['{"city":"London"}'], id: 'mine' }
    expect(await said([{ toolCalls: [paris, mine] }])).toEqual(expected)
    expect(await said([{ toolCall: paris }, { toolCall: mine }])).toEqual(expected)
  })

  it('with reasoning as a thinking block with its signature, asked for or not', async () => {
    const script: Item[] = [{ reasoning: ['Pa', 'ris?'] }, { text: ['Rain.'] }]
    const signature = [0, expect.stringMatching(/^E[\w+/]+=$/)]
    const expected = [
      ...[thought, 'ping', [0, 'Pa'], [0, 'ris?'], signature, '0 stop'],
      ...[text(1), [1, 'Rain.'], '1 stop', 'end_turn', 'message_stop'],
    ]
    expect(await said(script)).toEqual(expected)
    expect(await said(script, { ...question, ...thinking })).toEqual(expected)
    expect((await plain(script)).usage.output_tokens).toBe(5)
  })

  it('with words of one kind in one block, whatever happens between them', async () => {
    const parts: Item[] = [{ text: ['One'] }, { wait: 100 }, { text: [' two'] }, { refusal: ['No.'] }]
    expect(await said([...parts, { finish: 'stop' }])).toEqual([
      ...[text(0), 'ping', [0, 'One'], [0, ' two'], '0 stop'],
      ...[text(1), [1, 'No.'], '1 stop', 'end_turn', 'message_stop'],
    ])
    const turns: Item[] = [{ text: 'One' }, { text: ' two' }, { toolCall: london }, { text: 'three' }]
    const { content } = await plain(turns)
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'text'])
  })

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['content_filter', 'refusal'],
  ] as const)('with the finish %s as %s', async (finish, word) => {
    expect((await said([{ text: ['Hi'] }, { finish }])).at(-2)).toBe(word)
    expect((await plain([{ finish }, { text: 'Hi' }])).stop_reason).toBe(word)
  })

  it.each(['{"city":"Paris","days":[1,2', 'not json at all', '{"a":1}}', '["Paris"]', 'null', ''])(
    'with the broken arguments %j as they are in the stream, and in one body without input',
    async (input) => {
      const script: Item[] = [{ toolCall: { name: 'nobody_offers_this', arguments: input } }]
      expect((await streamOf(scripted(script), question)).inputs).toEqual([input])
      expect((await plain(script)).content).toMatchObject([{ name: 'nobody_offers_this', input: {} }])
    },
  )
})

describe('the usage of a script', () => {
  it('replaces what it names; what was cached is no input', async () => {
    const script = (usage: Extract<Item, { usage: unknown }>['usage']): Item[] => [
      { text: 'Hello there' },
      { usage },
    ]
    const counted = (await plain(script({}))).usage
    expect(counted.output_tokens).toBe(2)
    expect((await plain(script({ output: 50 }))).usage).toEqual({ ...counted, output_tokens: 50 })
    const caches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 40 }
    const given = { input_tokens: 60, ...caches, output_tokens: 50 }
    const named = script({ input: 100, output: 50, cached: 40 })
    expect((await plain(named)).usage).toEqual(given)
    expect((await streamOf(scripted(named), question)).usage).toEqual(given)
  })
})
