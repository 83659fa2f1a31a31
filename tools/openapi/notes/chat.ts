/** What the document says of chat completions beyond their schemas. */
import type { GroupNotes } from '../notes.ts'

const ask = (content: string) => [{ role: 'user', content }]
const model = 'gpt-4o-mini'
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The present weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city'],
    },
  },
}
const city = {
  name: 'city',
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, inhabitants: { type: 'integer', minimum: 0 } },
    required: ['name', 'inhabitants'],
    additionalProperties: false,
  },
  strict: true,
}

export const chatNotes: GroupNotes = {
  title: 'Chat',
  description: 'Answers to a conversation, in one body or as a stream of chunks.',
  operations: {
    'chat.create': {
      source: 'the contract; field names and the stream: the OpenAI chat API',
      description: `With \`stream: true\` the response is a stream of chunks that ends with \`data: [DONE]\`;
an error after the first byte is an event with the key \`error\`.

Dependencies between fields: \`top_logprobs\` needs \`logprobs: true\`; \`stream_options\` needs
\`stream: true\`; audio in \`modalities\` needs \`audio\`; \`tool_choice\` needs \`tools\`; reasoning models
reject \`max_tokens\` (send \`max_completion_tokens\`). Every tool call must be answered by a message with the
role \`tool\` before the next turn.`,
      calls: () => [
        { name: 'plain', summary: 'A question', json: { model, messages: ask('Reply with exactly: pong') } },
        {
          name: 'tools',
          summary: 'A question that a tool answers',
          json: {
            model,
            messages: ask('What is the weather in Paris?'),
            tools: [weather],
            tool_choice: 'required',
          },
        },
        {
          name: 'shape',
          summary: 'An answer in the shape of a JSON Schema',
          json: {
            model,
            messages: ask('Name a large city.'),
            response_format: { type: 'json_schema', json_schema: city },
          },
        },
        {
          name: 'stream',
          summary: 'An answer as a stream, with its usage at the end',
          json: {
            model,
            messages: ask('Reply with exactly: one two three'),
            stream: true,
            stream_options: { include_usage: true },
          },
        },
        {
          name: 'stream-error',
          summary: 'A stream that fails after two events',
          json: {
            model: 'sim-error-after-2',
            messages: ask('Reply with exactly: one two three'),
            stream: true,
          },
        },
        {
          name: 'temperature',
          summary: 'A field out of its bounds',
          json: { model, messages: ask('Hello'), temperature: 3 },
        },
        {
          name: 'options-without-stream',
          summary: 'A field that needs another',
          json: { model, messages: ask('Hello'), stream_options: { include_usage: true } },
        },
      ],
    },
    'models.list': {
      source: 'none; the response is that of the OpenAI models API',
      calls: () => [{ name: 'plain', summary: 'All models of the key' }],
    },
  },
  names: {
    'chat.create body': 'ChatRequest',
    'chat.create body.messages[]': 'ChatMessage',
    'chat.create body.messages[]<user>.content[]': 'ChatContentPart',
    'chat.create body.messages[]<user>.content[]<image_url>': 'ChatImagePart',
    'chat.create body.messages[]<user>.content[]<input_audio>': 'ChatAudioPart',
    'chat.create body.messages[]<assistant>.content[]<refusal>': 'ChatRefusalPart',
    'chat.create body.messages[]<assistant>.tool_calls[]': 'ChatToolCall',
    'chat.create body.messages[]<assistant>.audio': 'ChatAudioReference',
    'chat.create body.messages[]<system>.content[]': 'ChatPlainPart',
    'chat.create body.functions[]': 'ChatFunctionDefinition',
    'chat.create body.tools[]': 'ChatTool',
    'chat.create body.tool_choice': 'ChatToolChoice',
    'chat.create body.response_format': 'ChatResponseFormat',
    'chat.create body.stream_options': 'ChatStreamOptions',
    'chat.create body.web_search_options': 'ChatWebSearchOptions',
    'chat.create response': 'ChatCompletion',
    'chat.create response.choices[]': 'ChatChoice',
    'chat.create response.choices[].message': 'ChatAnswer',
    'chat.create response.choices[].message.annotations[]': 'ChatAnnotation',
    'chat.create response.choices[].message.tool_calls[]': 'ChatAnswerToolCall',
    'chat.create response.choices[].message.function_call': 'ChatNamedArguments',
    'chat.create response.choices[].message.audio': 'ChatAudio',
    'chat.create response.choices[].logprobs': 'ChatLogprobs',
    'chat.create response.choices[].logprobs.content[]': 'ChatTokenLogprob',
    'chat.create response.usage': 'ChatUsage',
    'chat.create event': 'ChatChunk',
    'chat.create event.choices[]': 'ChatChunkChoice',
    'chat.create event.choices[].delta': 'ChatDelta',
    'chat.create event.choices[].delta.tool_calls[]': 'ChatToolCallDelta',
    'chat error.error': 'ErrorBody',
    'chat error.error.details[]': 'ErrorDetail',
    'models.list response': 'ModelList',
    'models.list response.data[]': 'Model',
  },
  fields: {
    ChatRequest: [
      'A conversation, and how it is to be answered. Further fields are let through or rejected by the',
      'setting `chat.unknownParameters`.',
    ].join(' '),
    'ChatRequest.frequency_penalty': 'Above 0: words that came often come less.',
    'ChatRequest.presence_penalty': 'Above 0: words that came at all come less.',
    'ChatRequest.logit_bias': 'Token id → how much likelier (100) or unlikelier (-100) the token becomes.',
    'ChatRequest.metadata': 'Pairs of your own that stay with the call.',
    'ChatRequest.modalities': 'What the answer is made of; text unless given.',
    'ChatRequest.parallel_tool_calls': 'Whether one answer may call several tools; it may unless given.',
    'ChatRequest.prediction': 'Text that much of the answer is expected to repeat.',
    'ChatRequest.prompt_cache_key': 'Groups calls whose prompts begin alike.',
    'ChatRequest.reasoning_effort': 'How long a model that reasons may think.',
    'ChatRequest.response_format': 'The form of the answer: text, any JSON, or JSON of a schema.',
    'ChatRequest.safety_identifier': 'A stable id of the end user; hash what names a person.',
    'ChatRequest.seed': 'Asks for the same answer to the same request, as far as the backend can.',
    'ChatRequest.service_tier': 'In which tier the call is served; the response says which it was.',
    'ChatRequest.store': 'Whether the answer is kept.',
    'ChatRequest.stream': 'Whether the answer comes as server-sent events.',
    'ChatRequest.temperature': 'How far the answer may stray; change this or `top_p`, not both.',
    'ChatRequest.top_p': 'The share of likeliest tokens that are chosen from.',
    'ChatRequest.tool_choice': 'Whether tools are called, and which.',
    'ChatRequest.tools': 'The tools that may be called.',
    'ChatRequest.verbosity': 'How long the answer is to be.',
    'ChatRequest.web_search_options': 'How the web is searched before the answer.',
    ChatMessage: 'One message; `role` says whose.',
    ChatCompletion: 'The answer in one body.',
    'ChatCompletion.id': 'The id of this answer.',
    'ChatCompletion.object': 'What this is.',
    'ChatCompletion.created': 'Unix seconds.',
    'ChatCompletion.model': 'The model that answered.',
    'ChatCompletion.choices': 'As many answers as `n` asked for.',
    'ChatCompletion.service_tier': 'The tier that was used.',
    'ChatCompletion.system_fingerprint':
      'The configuration of the backend; together with `seed` it shows when the backend has changed.',
    ChatChunk: 'One event of the stream.',
    'ChatChunk.id': 'The id of the answer, the same in every chunk.',
    'ChatChunk.object': 'What this is.',
    'ChatChunk.created': 'Unix seconds, the same in every chunk.',
    'ChatChunk.model': 'The model that answers.',
    'ChatChunk.choices': 'What is new of each answer; empty in the chunk that carries the usage.',
    'ChatChunk.usage':
      'With `stream_options.include_usage`: null until the last chunk, then the tokens of the call.',
    'ChatChunk.service_tier': 'The tier that is used.',
    'ChatChunk.system_fingerprint': 'The configuration of the backend.',
    ModelList: 'The models that the key may use.',
    'ModelList.object': 'What this is.',
    'ModelList.data': 'The models.',
  },
}
