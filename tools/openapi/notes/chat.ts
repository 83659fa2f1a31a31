/** Notes of the document on chat completions. */
import type { GroupNotes } from '../notes.ts'

const ask = (content: string) => [{ role: 'user', content }]
const model = 'gpt-4o-mini'
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The current weather in a city',
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
  description: 'Chat completions, as one body or as a stream of chunks.',
  operations: {
    'chat.create': {
      source: 'the contract; field names and the stream: the OpenAI chat API',
      description: `With \`stream: true\`, the response is a stream of chunks that ends with \`data: [DONE]\`.
An error after the first byte arrives as an event with the key \`error\`.

Dependencies between fields: \`top_logprobs\` requires \`logprobs: true\`; \`stream_options\` requires
\`stream: true\`; \`audio\` in \`modalities\` requires the field \`audio\`; \`tool_choice\`
requires \`tools\`.
Reasoning models reject \`max_tokens\` (send \`max_completion_tokens\`). Every tool call requires a
message with the role \`tool\` before the next turn.`,
      calls: () => [
        { name: 'plain', summary: 'A question', json: { model, messages: ask('Reply with exactly: pong') } },
        {
          name: 'tools',
          summary: 'A tool call',
          json: {
            model,
            messages: ask('What is the weather in Paris?'),
            tools: [weather],
            tool_choice: 'required',
          },
        },
        {
          name: 'shape',
          summary: 'Structured output with a JSON Schema',
          json: {
            model,
            messages: ask('Name a large city.'),
            response_format: { type: 'json_schema', json_schema: city },
          },
        },
        {
          name: 'stream',
          summary: 'A stream with usage in the last chunk',
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
          summary: 'A value out of range',
          json: { model, messages: ask('Hello'), temperature: 3 },
        },
        {
          name: 'options-without-stream',
          summary: 'A field that requires another field',
          json: { model, messages: ask('Hello'), stream_options: { include_usage: true } },
        },
      ],
    },
    'models.list': {
      source: 'none; the response follows the OpenAI models API',
      calls: () => [{ name: 'plain', summary: 'All models that the API key may use' }],
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
    ChatRequest:
      'A conversation and its parameters. The setting `chat.unknownParameters` decides whether unknown ' +
      'fields are rejected.',
    'ChatRequest.frequency_penalty': 'Positive values penalise tokens by their frequency so far.',
    'ChatRequest.presence_penalty': 'Positive values penalise tokens that occur in the text so far.',
    'ChatRequest.logit_bias': 'Token id → bias, from -100 (never chosen) to 100 (always chosen).',
    'ChatRequest.metadata': 'Up to 16 key-value pairs for your own use.',
    'ChatRequest.modalities': 'Output types. Default: text.',
    'ChatRequest.parallel_tool_calls': 'Whether one response may contain several tool calls. Default: true.',
    'ChatRequest.prediction': 'Predicted output: text that the response is likely to repeat.',
    'ChatRequest.prompt_cache_key':
      'A key for prompt caching; use the same key for prompts with the same prefix.',
    'ChatRequest.reasoning_effort': 'The amount of reasoning before the response.',
    'ChatRequest.response_format':
      'The output format: text, any JSON object, or JSON that conforms to a schema.',
    'ChatRequest.safety_identifier': 'A stable id of the end user, such as a hash of the user name.',
    'ChatRequest.seed': 'Best-effort determinism: the same seed and request give the same response.',
    'ChatRequest.service_tier': 'The service tier. The response contains the tier that was used.',
    'ChatRequest.store': 'Whether to store the completion.',
    'ChatRequest.stream': 'Whether to stream the response as server-sent events.',
    'ChatRequest.temperature': 'Sampling temperature. Change this or `top_p`, not both.',
    'ChatRequest.top_p': 'Nucleus sampling: the probability mass of the tokens to sample from.',
    'ChatRequest.tool_choice': 'Whether the model may or must call tools, and which tools.',
    'ChatRequest.tools': 'The tools that the model may call.',
    'ChatRequest.verbosity': 'The length and detail of the response.',
    'ChatRequest.web_search_options': 'Options for web search.',
    ChatMessage: 'A message; `role` is the author.',
    ChatCompletion: 'A complete response.',
    'ChatCompletion.id': 'The id of the completion.',
    'ChatCompletion.object': 'The object type.',
    'ChatCompletion.created': 'Unix seconds.',
    'ChatCompletion.model': 'The model that generated the response.',
    'ChatCompletion.choices': 'The choices, as many as `n`.',
    'ChatCompletion.service_tier': 'The service tier that was used.',
    'ChatCompletion.system_fingerprint':
      'The backend configuration; shows, for requests with `seed`, whether the backend has changed.',
    ChatChunk: 'One event of the stream.',
    'ChatChunk.id': 'The id of the completion, the same in every chunk.',
    'ChatChunk.object': 'The object type.',
    'ChatChunk.created': 'Unix seconds, the same in every chunk.',
    'ChatChunk.model': 'The model that generates the response.',
    'ChatChunk.choices': 'The delta for each choice; empty in the chunk with the usage.',
    'ChatChunk.usage':
      'With `stream_options.include_usage`: the token usage in the last chunk, null in earlier chunks.',
    'ChatChunk.service_tier': 'The service tier.',
    'ChatChunk.system_fingerprint': 'The backend configuration.',
    ModelList: 'The models that the API key may use.',
    'ModelList.object': 'The object type.',
    'ModelList.data': 'The models.',
  },
}
