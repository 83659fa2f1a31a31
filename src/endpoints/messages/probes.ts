/** The probes of `gateway-sim check` for messages. */
import { answers, type ProbeSet, rejections, theModel, withoutKey } from '../../protocol/probe.ts'
import { createMessage } from './create-message.ts'

const messages = [{ role: 'user', content: 'Reply with exactly: pong' }]
const cheap = { model: theModel, max_tokens: 1, messages }
const rejected = { endpoint: createMessage, json: cheap }
const answered = { endpoint: createMessage, json: { model: theModel, max_tokens: 200, messages } }
const streamed = { ...answered, json: { ...answered.json, stream: true } }

const weather = {
  name: 'get_weather',
  description: 'The weather in a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const callsWeather = {
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [weather],
  tool_choice: { type: 'any' },
}

export const messagesProbes: ProbeSet = {
  group: 'messages',
  model: 'claude-3-5-haiku-20241022',
  headers: { 'vendor-version': '2023-06-01' },
  probes: [
    withoutKey('a message without an API key', createMessage, { json: cheap }),
    {
      name: 'a message without the version header',
      endpoint: createMessage,
      states: '`/v1/messages`: header `x-api-key` plus the required version header',
      spend: 'none',
      request: { json: cheap, clientHeaders: false },
      expect: { status: 'invalid' },
    },
    ...rejections(rejected, [
      ['a message request without messages', 'messages: at least 1 item', { messages: [] }],
      ['a message with max_tokens: 8193', 'max_tokens: 1..8192', { max_tokens: 8193 }],
      ['a message with a temperature of 1.1', 'temperature: 0..1', { temperature: 1.1 }],
      [
        'a message with five stop sequences',
        'custom stop sequences: max 4',
        { stop_sequences: ['1', '2', '3', '4', '5'] },
      ],
    ]),
    ...answers(answered, [['a message', 'Response 200: message', {}]]),
    ...answers(answered, [
      [
        'a message with a stop sequence',
        'stop_sequence: the sequence that caused the stop, if any',
        {
          messages: [{ role: 'user', content: 'Reply with exactly: one two STOP three' }],
          stop_sequences: ['STOP'],
        },
      ],
      [
        'a message that calls a tool',
        'stop_reason: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`',
        callsWeather,
      ],
    ]),
    ...answers(streamed, [
      [
        'a streamed message',
        'stream flag (server-sent events)',
        { messages: [{ role: 'user', content: 'Count from 1 to 30, in words.' }] },
      ],
      ['a streamed message that calls a tool', 'stream flag (server-sent events)', callsWeather],
    ]),
  ],
}
