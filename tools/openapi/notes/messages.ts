/** Notes of the document on messages. */
import type { GroupNotes } from '../notes.ts'

const headers = { 'anthropic-version': '2023-06-01' }
const ask = (content: string) => [{ role: 'user', content }]
const base = { model: 'claude-3-5-haiku-20241022', max_tokens: 256 }
const weather = {
  name: 'get_weather',
  description: 'The current weather in a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export const messagesNotes: GroupNotes = {
  title: 'Messages',
  description: 'Messages of content blocks, as one body or as a stream of named events.',
  headers: [
    {
      name: 'anthropic-version',
      required: true,
      description:
        'The API version, a date. The contract redacts the vendor in the name of this header: ' +
        '`vendor-version` is also accepted.',
      schema: { type: 'string', format: 'date' },
      example: '2023-06-01',
    },
  ],
  operations: {
    'messages.create': {
      source: 'the contract; blocks, field names and the stream: the ' + 'Anthropic messages API',
      description: `The API is stateless: send all turns with every request. With \`stream: true\`, the
response is a stream of named events, from \`message_start\` to \`message_stop\`; the name in \`event:\` is
the \`type\` of the data. An error after the first byte arrives as the event \`error\`.

Dependencies between fields: every tool call requires a tool result in the next turn, and every
tool result requires a tool call in the previous turn; \`tool_choice\` requires \`tools\`;
\`thinking.budget_tokens\` must be below \`max_tokens\`.`,
      calls: () => [
        {
          name: 'plain',
          summary: 'A question',
          headers,
          json: { ...base, messages: ask('Reply with exactly: pong') },
        },
        {
          name: 'tools',
          summary: 'A tool call',
          headers,
          json: {
            ...base,
            messages: ask('What is the weather in Paris?'),
            tools: [weather],
            tool_choice: { type: 'any' },
          },
        },
        {
          name: 'stream',
          summary: 'A streamed message',
          headers,
          json: { ...base, messages: ask('Reply with exactly: one two three'), stream: true },
        },
        {
          name: 'stream-error',
          summary: 'A stream that fails after three events',
          headers,
          json: {
            ...base,
            model: 'sim-error-after-3',
            messages: ask('Reply with exactly: one two three'),
            stream: true,
          },
        },
        {
          name: 'max-tokens',
          summary: 'A `max_tokens` above the limit',
          headers,
          json: { ...base, max_tokens: 10_000, messages: ask('Hello') },
        },
        {
          name: 'thread',
          summary: 'A reference to a stored conversation',
          headers,
          json: { ...base, messages: ask('Hello'), thread: 'thread_1' },
        },
      ],
    },
  },
  names: {
    'messages.create body': 'MessageRequest',
    'messages.create body.messages[]': 'MessageTurn',
    'messages.create body.messages[]<user>.content[]': 'MessageUserBlock',
    'messages.create body.messages[]<user>.content[]<text>': 'MessageTextBlock',
    'messages.create body.messages[]<user>.content[]<image>': 'MessageImageBlock',
    'messages.create body.messages[]<user>.content[]<document>': 'MessageDocumentBlock',
    'messages.create body.messages[]<user>.content[]<search_result>': 'MessageSearchResultBlock',
    'messages.create body.messages[]<user>.content[]<tool_result>': 'MessageToolResultBlock',
    'messages.create body.messages[]<user>.content[]<text>.cache_control': 'MessageCacheControl',
    'messages.create body.messages[]<user>.content[]<image>.source': 'MessageImageSource',
    'messages.create body.messages[]<user>.content[]<document>.source': 'MessageDocumentSource',
    'messages.create body.messages[]<assistant>.content[]': 'MessageAssistantBlock',
    'messages.create body.output_config.format': 'MessageOutputFormat',
    'messages.create body.thinking': 'MessageThinking',
    'messages.create body.tool_choice': 'MessageToolChoice',
    'messages.create body.tools[]': 'MessageTool',
    'messages.create response': 'Message',
    'messages.create response.content[]': 'MessageBlock',
    'messages.create response.usage': 'MessageUsage',
    'messages.create event': 'MessageEvent',
    'messages.create event<content_block_start>.content_block': 'MessageStartedBlock',
    'messages.create event<content_block_delta>.delta': 'MessageBlockDelta',
  },
  fields: {
    MessageRequest:
      'A conversation and its parameters. The setting `messages.unknownParameters` decides whether unknown ' +
      'fields are rejected.',
    'MessageRequest.cache_control': 'A cache breakpoint at the end of the prompt.',
    'MessageRequest.container': 'The container in which server tools run.',
    'MessageRequest.inference_geo': 'The region in which the model runs.',
    'MessageRequest.service_tier': 'The service tier.',
    'MessageRequest.speed': 'The generation speed.',
    'MessageRequest.stream': 'Whether to stream the response as server-sent events.',
    'MessageRequest.temperature': 'Sampling temperature.',
    'MessageRequest.thinking': 'Extended thinking and its token budget.',
    'MessageRequest.tool_choice': 'Whether the model may or must call tools, and which tools.',
    'MessageRequest.tools': 'The tools that the model may call: custom tools and server tools.',
    'MessageRequest.top_k': 'The number of most likely tokens to sample from.',
    'MessageRequest.top_p': 'Nucleus sampling: the probability mass of the tokens to sample from.',
    MessageTurn: 'A turn; `role` is the author.',
    Message: 'A complete response.',
    'Message.id': 'The id of the message.',
    'Message.type': 'The object type.',
    'Message.role': 'The author of the turn.',
    'Message.model': 'The model that generated the response.',
    'Message.content': 'The content blocks, in order.',
    'Message.stop_reason': 'The reason for the end of generation.',
    'Message.stop_sequence': 'The stop sequence that ended generation, if any.',
    'Message.usage': 'The token usage.',
    MessageEvent: 'The data of one event; `type` is the name of the event.',
  },
}
