/** What the document says of messages beyond their schemas. */
import type { GroupNotes } from '../notes.ts'

const headers = { 'anthropic-version': '2023-06-01' }
const ask = (content: string) => [{ role: 'user', content }]
const base = { model: 'claude-3-5-haiku-20241022', max_tokens: 256 }
const weather = {
  name: 'get_weather',
  description: 'The present weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export const messagesNotes: GroupNotes = {
  title: 'Messages',
  description:
    'Answers to a conversation as a message of blocks, in one body or as a stream of named events.',
  headers: [
    {
      name: 'anthropic-version',
      required: true,
      description: [
        'The version of the interface, a date. The contract calls the header `vendor-version` with the',
        'vendor left out, and that name is taken as well.',
      ].join(' '),
      schema: { type: 'string', format: 'date' },
      example: '2023-06-01',
    },
  ],
  operations: {
    'messages.create': {
      source: ['the contract; blocks, field names and the stream: the', 'Anthropic messages API'].join(' '),
      description: `The call is stateless: send all turns every time. With \`stream: true\` the response is a
stream of named events, from \`message_start\` to \`message_stop\`; the name in \`event:\` is the
\`type\` of the data. An error after the first byte is the event \`error\`.

Dependencies between fields: a tool result answers a call in the turn before it, and every call must be
answered; \`tool_choice\` needs \`tools\`; \`thinking.budget_tokens\` must be below \`max_tokens\`.`,
      calls: () => [
        {
          name: 'plain',
          summary: 'A question',
          headers,
          json: { ...base, messages: ask('Reply with exactly: pong') },
        },
        {
          name: 'tools',
          summary: 'A question that a tool answers',
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
          summary: 'An answer as a stream',
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
          summary: 'More tokens than the contract allows',
          headers,
          json: { ...base, max_tokens: 10_000, messages: ask('Hello') },
        },
        {
          name: 'thread',
          summary: 'A conversation that the service would have to remember',
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
    MessageRequest: [
      'A conversation, and how it is to be answered. Further fields are let through or rejected by the',
      'setting `messages.unknownParameters`.',
    ].join(' '),
    'MessageRequest.cache_control': 'Marks the prompt for caching.',
    'MessageRequest.container': 'Where tools of the service run.',
    'MessageRequest.inference_geo': 'Where the answer is computed.',
    'MessageRequest.service_tier': 'In which tier the call is served.',
    'MessageRequest.speed': 'How fast the answer is made.',
    'MessageRequest.stream': 'Whether the answer comes as server-sent events.',
    'MessageRequest.temperature': 'How far the answer may stray.',
    'MessageRequest.thinking': 'Whether the model thinks before it answers, and how long.',
    'MessageRequest.tool_choice': 'Whether tools are called, and which.',
    'MessageRequest.tools': 'The tools that may be called: your own, or dated ones of the service.',
    'MessageRequest.top_k': 'From how many of the likeliest tokens is chosen.',
    'MessageRequest.top_p': 'The share of likeliest tokens that are chosen from.',
    MessageTurn: 'One turn; `role` says whose.',
    Message: 'The answer in one body.',
    'Message.id': 'The id of this answer.',
    'Message.type': 'What this is.',
    'Message.role': 'Whose turn this is.',
    'Message.model': 'The model that answered.',
    'Message.content': 'The blocks of the answer, in their order.',
    'Message.stop_reason': 'Why the answer ended.',
    'Message.stop_sequence': 'The sequence that ended the answer, if one did.',
    'Message.usage': 'The tokens of the call.',
    MessageEvent: 'The data of one event of the stream; `type` is the name of the event.',
  },
}
