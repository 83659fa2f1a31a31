/**
 * messages.create as a stream: byte for byte as the upstream sends it, the plain body in pieces, unfolding in
 * virtual time.
 */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, jsonCall, simulator } from '../../_setup.ts'
import { eventsOf, headers, request, send, weather } from './_messages.ts'

const running = () => simulator({ clock: 'auto' })
const thinkingOf = (more: object = {}) => ({
  max_tokens: 2000,
  thinking: { type: 'enabled', budget_tokens: 1024, ...more },
})

/** The events of an answer as they stand on the wire, ids masked. */
async function wireOf(prompt: string, more: object = {}): Promise<string[]> {
  const text = await (await send(running(), request(prompt, { ...more, stream: true }))).text()
  expect(text.endsWith('\n\n')).toBe(true)
  return text
    .slice(0, -2)
    .replace(/msg_[0-9a-f]{32}/g, 'msg_X')
    .replace(/toolu_[0-9a-f]{24}/g, 'toolu_X')
    .replace(/"signature":"E[A-Za-z0-9+/]{178}="/g, '"signature":"S"')
    .replace(/"data":"E[A-Za-z0-9+/]{238}="/g, '"data":"D"')
    .split('\n\n')
}

const start = (input: number): string =>
  [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_X","type":"message",',
    '"role":"assistant","model":"claude-3-5-haiku-20241022","content":[],"stop_reason":null,',
    `"stop_sequence":null,"usage":{"input_tokens":${input},"output_tokens":1}}}`,
  ].join('')
const ping = 'event: ping\ndata: {"type": "ping"}'
const delta = (fields: string, index = 0): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${fields}}`
const stop = (index = 0): string =>
  `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}`
const opened = (block: string, index = 0): string =>
  `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${block}}`
const end = (reason: string, output: number, sequence = 'null'): string[] => [
  [
    `event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"${reason}",`,
    `"stop_sequence":${sequence}},"usage":{"output_tokens":${output}}}`,
  ].join(''),
  'event: message_stop\ndata: {"type":"message_stop"}',
]
const textBlock = '{"type":"text","text":""}'

describe('messages.create streams, byte for byte', () => {
  it('text', async () => {
    expect(await wireOf('Say “one "two" 3”')).toEqual([
      start(16),
      opened(textBlock),
      ping,
      ...['one', ' \\"', 'two', '\\"', ' ', '3'].map((text) =>
        delta(`{"type":"text_delta","text":"${text}"}`),
      ),
      stop(),
      ...end('end_turn', 6),
    ])
  })

  it('a tool with its input in pieces, the first of them empty', async () => {
    expect(await wireOf('What is the weather in Paris?', { tools: [weather] })).toEqual([
      start(58),
      opened('{"type":"tool_use","id":"toolu_X","name":"get_weather","input":{}}'),
      ping,
      ...['', '{\\"', 'city', '\\":\\"', 'Paris', '\\"}'].map((text) =>
        delta(`{"type":"input_json_delta","partial_json":"${text}"}`),
      ),
      stop(),
      ...end('tool_use', 11),
    ])
  })

  const thought = opened('{"type":"thinking","thinking":"","signature":""}')
  const signature = delta('{"type":"signature_delta","signature":"S"}')

  it('thinking, its signature, then the text', async () => {
    const wire = await wireOf('Say "yes"', thinkingOf())
    const thoughts = wire.filter((event) => event.includes('"thinking_delta"'))
    expect(wire).toEqual([
      ...[start(11), thought, ping, ...thoughts, signature, stop()],
      ...[opened(textBlock, 1), delta('{"type":"text_delta","text":"yes"}', 1), stop(1)],
      ...end('end_turn', thoughts.length + 1),
    ])
    expect(thoughts.length).toBeGreaterThan(10)
  })

  it('thinking that is kept back, and thinking that is redacted', async () => {
    const hidden = thinkingOf({ display: 'omitted' })
    expect((await wireOf('Say "yes"', hidden)).slice(1, 5)).toEqual([thought, ping, signature, stop()])
    const redacted = await wireOf('Say "yes"', { ...hidden, model: 'sim-redacted-thinking' })
    expect(redacted.slice(1, 4)).toEqual([opened('{"type":"redacted_thinking","data":"D"}'), ping, stop()])
  })
})

describe('a stream unfolds', () => {
  const settings = { messages: { firstEventAfter: '200ms', eventInterval: '50ms' } } as const
  const said = request('Say "one two"', { stream: true })

  describeIntegrations('in virtual time', (integration) => {
    it('the head first, then a delta at a time, the end with the last one', async () => {
      const sim = simulator({ clock: 'manual', settings })
      const { fetch, url } = await integration.open(sim)
      const { method, body } = jsonCall(said)
      const call = { method, body, headers: { ...headers, 'content-type': 'application/json' } }
      const response = await fetch(`${url}/v1/messages`, call)
      const sent = (ms: number): number | undefined => {
        sim.clock.advance(ms)
        return sim.journal()[0]?.response?.eventCount
      }
      expect([0, 199, 1, 49, 1, 50].map(sent)).toEqual([0, 0, 3, 3, 4, 8])
      expect(eventsOf(await response.text()).map(({ type }) => type)).toEqual([
        ...['message_start', 'content_block_start', 'ping', 'content_block_delta', 'content_block_delta'],
        ...['content_block_stop', 'message_delta', 'message_stop'],
      ])
    })
  })
})
