/** The probes of `gateway-sim check` for chat. */
import { answers, type ProbeSet, rejections, theModel, withoutKey } from '../../protocol/probe.ts'
import { createChatCompletion } from './create-chat-completion.ts'

const messages = [{ role: 'user', content: 'Reply with exactly: pong' }]
// If a gateway accepts an invalid request, it costs one token.
const cheap = { model: theModel, messages, max_completion_tokens: 1 }
const rejected = { endpoint: createChatCompletion, json: cheap }
const answered = {
  endpoint: createChatCompletion,
  json: { model: theModel, messages, max_completion_tokens: 200 },
}
const streamed = { ...answered, json: { ...answered.json, stream: true } }
const inChunks = 'or, when streaming is requested, a streamed sequence of chunk objects'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const callsWeather = {
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [weather],
  tool_choice: 'required',
}

export const chatProbes: ProbeSet = {
  group: 'chat',
  model: 'gpt-4o-mini',
  probes: [
    withoutKey('a chat without an API key', createChatCompletion, { json: cheap }),
    ...rejections(rejected, [
      ['a chat without messages', 'messages: at least 1 item', { messages: [] }],
      [
        'a chat with an unknown message role',
        'message kinds: user, developer, system, assistant, tool, function',
        { messages: [{ role: 'narrator', content: 'ping' }] },
      ],
      ['a chat with n: 129', 'n: 1..128', { n: 129 }],
      ['a chat with a temperature of 2.1', 'temperature: 0..2', { temperature: 2.1 }],
      [
        'a chat with top_logprobs but without logprobs',
        'top_logprobs requires `logprobs` true',
        { top_logprobs: 2 },
      ],
      [
        'a chat with an unknown tool_choice',
        'tool_choice: `auto`, `none`, `required`',
        { tools: [weather], tool_choice: 'sometimes' },
      ],
      ['a chat with five stop sequences', 'stop sequences: at most 4', { stop: ['1', '2', '3', '4', '5'] }],
    ]),
    ...answers(answered, [['a chat', 'Response 200: chat completion', {}]]),
    ...answers(answered, [
      ['a chat with two choices', 'choices: more than one when `n` > 1', { n: 2 }],
      [
        'a chat with log probabilities',
        'Logprobs: `content`, an array of {token, logprob, bytes, top_logprobs}',
        { logprobs: true, top_logprobs: 2 },
      ],
      [
        'a chat that calls a tool',
        'tool_calls: items `id`, `type`=`function`, `function` {`name`, `arguments` strings}',
        callsWeather,
      ],
    ]),
    ...answers(streamed, [
      [
        'a streamed chat',
        inChunks,
        {
          messages: [{ role: 'user', content: 'Count from 1 to 30, in words.' }],
          stream_options: { include_usage: true },
        },
        {
          after: 'a chat',
          mayReject: {
            status: [400],
            because: 'some of the newest reasoning models do not support streaming',
          },
        },
      ],
      ['a streamed chat with two choices', inChunks, { n: 2 }, { after: 'a streamed chat' }],
      ['a streamed chat that calls a tool', inChunks, callsWeather, { after: 'a streamed chat' }],
    ]),
  ],
}
