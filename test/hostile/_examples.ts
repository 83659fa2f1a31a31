/**
 * Valid requests of the operations, from which the hostile ones are made: the first example of the OpenAPI
 * document, the `example` of the endpoint, or those that stand here, with every field. Everything else about
 * an operation comes from the router's own list.
 */
import { encode } from 'fast-png'
import type { Simulator } from '../../src/index.ts'
import { groupNotes } from '../../tools/openapi/notes.ts'

export type Route = Simulator['routes'][number]

/**
 * Things that exist before the hostile request comes, by the names of the path parameters that lead to them;
 * all have ended well.
 */
export type Given = Readonly<
  Record<
    | 'jobId'
    | 'imageId'
    | 'image'
    | 'video_id'
    | 'video'
    | 'project_id'
    | 'location'
    | 'publisher'
    | 'model'
    | 'operation_id'
    | 'file_id'
    | 'uri'
    | 'id',
    string
  >
>

/** A form as its parts; a part with a filename is a file. */
export type Part =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value: Uint8Array; readonly filename: string; readonly type: string }

interface Example {
  readonly json?: (given: Given) => unknown
  readonly form?: (given: Given) => readonly Part[]
  /** The status of the answer; 200 when left out. */
  readonly status?: number
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 1 },
        days: { type: 'integer', minimum: 1, maximum: 14 },
      },
      required: ['city'],
      additionalProperties: false,
    },
  },
}
const grammar = {
  type: 'custom',
  custom: {
    name: 'dial',
    description: 'Dials',
    format: { type: 'grammar', grammar: { syntax: 'regex', definition: '[0-9]{3}' } },
  },
}
const person = {
  type: 'json_schema',
  json_schema: {
    name: 'person',
    description: 'A person',
    strict: true,
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
      required: ['name'],
    },
  },
}

const clear = encode({ width: 2, height: 2, channels: 4, data: new Uint8Array(16) })

const conversation = [
  { role: 'system', content: 'Be brief.', name: 'house' },
  { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://pictures.example/a.png', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_data: 'data:text/plain;base64,AAAA', filename: 'a.txt' } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'Clear.' }],
    function_call: { name: 'look', arguments: '{}' },
  },
  { role: 'function', name: 'look', content: 'seen' },
  { role: 'user', content: 'And tomorrow?' },
]

const story = {
  title: 'The second video fails',
  rules: [
    {
      id: 'second',
      when: { operation: 'videos.create', nth: 2 },
      then: { job: { failAt: 50, code: 'failed', message: 'no' } },
    },
  ],
}

/** A body that needs nothing that exists. */
const json = (value: unknown, status = 200): Example => ({ json: () => value, status })

/** Rich enough to reach every branch of the reading; two of one operation where fields exclude each other. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  'chat.create': [
    json({
      model: 'gpt-4o-mini',
      messages: conversation,
      frequency_penalty: 0,
      presence_penalty: 0,
      logit_bias: { 1234: 10 },
      logprobs: true,
      top_logprobs: 2,
      max_completion_tokens: 40,
      metadata: { a: 'b' },
      modalities: ['text'],
      n: 2,
      parallel_tool_calls: true,
      prediction: { type: 'content', content: 'Clear again.' },
      prompt_cache_key: 'k',
      response_format: { type: 'text' },
      safety_identifier: 's',
      seed: 7,
      service_tier: 'default',
      stop: ['zzz'],
      store: false,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      top_p: 1,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'get_weather' } }] },
      },
      tools: [weather, grammar],
      user: 'u',
      verbosity: 'low',
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Paris' } },
      },
    }),
    json({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Invent a person' }],
      response_format: person,
      max_tokens: 60,
      stop: 'zzz',
    }),
    json({
      model: 'gpt-audio',
      messages: [{ role: 'user', content: 'Say hello' }],
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
    }),
    json({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Weather in Rome?' }],
      functions: [weather.function],
      function_call: { name: 'get_weather' },
    }),
  ],
  'images.generate': [
    json({
      prompt: 'a fox',
      model: 'gpt-image-1',
      n: 1,
      size: '1024x1024',
      quality: 'low',
      background: 'opaque',
      moderation: 'low',
      output_format: 'webp',
      output_compression: 1,
      partial_images: 1,
      stream: true,
      user: 'u',
    }),
    json({
      prompt: 'a fox',
      model: 'dall-e-2',
      n: 2,
      size: '256x256',
      quality: 'standard',
      response_format: 'b64_json',
    }),
    json({
      prompt: 'a fox',
      model: 'dall-e-3',
      size: '1024x1024',
      quality: 'hd',
      style: 'vivid',
      response_format: 'url',
    }),
  ],
  'images.edit': [
    {
      form: () => [
        { name: 'prompt', value: 'in blue' },
        { name: 'image', value: clear, filename: 'a.png', type: 'image/png' },
        { name: 'mask', value: clear, filename: 'b.png', type: 'image/png' },
        { name: 'n', value: '2' },
        { name: 'size', value: '256x256' },
        { name: 'response_format', value: 'b64_json' },
        { name: 'stream', value: 'false' },
      ],
    },
  ],
  'videos.create': [
    {
      json: () => ({
        model: 'video-1',
        prompt: 'a sunset',
        seconds: '4',
        size: '720x1280',
        input_reference: { image_url: 'https://pictures.example/a.png' },
      }),
      form: () => [
        { name: 'model', value: 'video-1' },
        { name: 'prompt', value: 'a sunset' },
        { name: 'seconds', value: '4' },
        { name: 'size', value: '720x1280' },
      ],
    },
  ],
  'messages.create': [
    json({
      model: 'claude-test',
      max_tokens: 60,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral', ttl: '5m' } },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' }, title: 't' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: 'clear' }],
              is_error: false,
            },
            { type: 'text', text: 'And tomorrow?' },
          ],
        },
      ],
      metadata: { user_id: 'u' },
      service_tier: 'auto',
      stop_sequences: ['zzz'],
      stream: true,
      system: [{ type: 'text', text: 'Be brief.' }],
      temperature: 1,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      tools: [
        {
          name: 'get_weather',
          description: 'Weather of a city',
          input_schema: weather.function.parameters,
        },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      top_k: 5,
    }),
    json({
      model: 'claude-test',
      max_tokens: 2000,
      messages: [{ role: 'user', content: 'Think about tides' }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      system: 'Be brief.',
    }),
    json({
      model: 'claude-test',
      max_tokens: 200,
      messages: [{ role: 'user', content: 'Invent a person' }],
      output_config: { format: { type: 'json_schema', schema: person.json_schema.schema } },
    }),
  ],
  'videoOperations.fetch': [
    {
      json: ({ project_id, location, publisher, model, operation_id }) => ({
        operationName: `projects/${project_id}/locations/${location}/publishers/${publisher}/models/${model}/operations/${operation_id}`,
      }),
    },
  ],
  'systemone.evaluate': [
    json({
      model: 'decider-1',
      state: { order: { total: 12, items: ['tea'] }, note: 'The customer is angry.' },
      questions: {
        mood: {
          type: 'choice',
          instructions: 'How is the customer?',
          criteria: { angry: 'shouts', calm: null, glad: ['smiles'], other: { a: 1 } },
        },
        urgency: {
          type: 'score',
          instructions: { ask: 'How urgent?' },
          criteria: ['not at all', { some: 'what' }, ['very']],
        },
        refund: {
          type: 'noul',
          instructions: ['Is a refund due?'],
          criteria: { true: 'yes', false: 'no' },
        },
      },
      include_cost: true,
    }),
  ],
  'sim.advanceClock': [json({ by: '1ms' }), json({ to: 'next', timeout: '1ms' })],
  'sim.createSession': [
    json(
      {
        seed: 'fox',
        clock: 'manual',
        start: '2026-01-01T00:00:00Z',
        scenarios: [story],
      },
      201,
    ),
  ],
  'sim.releaseRequest': [
    json({ status: 503, headers: { 'x-a': 'b' }, body: 'no' }, 404),
    json({ data: '{}', toEnd: true }, 404),
  ],
  'sim.addScenario': [json(story, 201)],
  'sim.addOverride': [
    json(
      {
        when: { operation: 'videos.create', body: { prompt: { contains: 'fox' } } },
        fault: { kind: 'overloaded' },
        times: 1,
      },
      201,
    ),
  ],
  'sim.reset': [json({ all: false })],
}

/** The statuses of examples of the OpenAPI document that are not answered with 200. */
const statuses: Readonly<Record<string, number>> = {
  'sim.addBreakpoint': 201,
  'sim.changeRule': 404,
}

/** The valid requests of an operation. */
export function examplesOf({
  operation,
  example,
}: Pick<Route['endpoint'], 'operation' | 'example'>): readonly Example[] {
  const own = examples[operation]
  if (own !== undefined) return own
  const shown = Object.values(groupNotes).flatMap(({ operations }) => operations[operation]?.examples ?? [])
  const body = example?.json ?? shown.find((one) => one.json !== undefined)?.json
  if (body === undefined) return []
  // What stands for a thing in a body of the document is an image job.
  const text = JSON.stringify(body)
  const withIds = ({ jobId }: Given): unknown => JSON.parse(text.replaceAll(/\$\{\w+\}/g, jobId))
  return [{ json: withIds, status: statuses[operation] ?? 200 }]
}

/** The body of an example, and how to send it. */
export interface Valid {
  readonly route: Route
  readonly path: string
  readonly json: unknown
  readonly status: number
}

/** Every valid JSON request of every operation. */
export function validJson(sim: Simulator, given: Given): Valid[] {
  return sim.routes.flatMap((route) =>
    examplesOf(route.endpoint).flatMap(({ json, status = 200 }) =>
      json === undefined ? [] : [{ route, path: pathOf(route, given), json: json(given), status }],
    ),
  )
}

/** One operation of all, chosen by its name: a route itself would fill the report of a failed property. */
export function routeOf(sim: Simulator, operation: string): Route {
  return sim.routes.find(({ endpoint }) => endpoint.operation === operation) as Route
}

/** Every valid form of every operation. */
export function validForms(
  sim: Simulator,
  given: Given,
): { route: Route; path: string; parts: readonly Part[] }[] {
  return sim.routes.flatMap((route) =>
    examplesOf(route.endpoint).flatMap(({ form }) =>
      form === undefined ? [] : [{ route, path: pathOf(route, given), parts: form(given) }],
    ),
  )
}

/** The path of a route with parameters that exist; `params` puts others in their place, already encoded. */
export function pathOf(route: Route, given: Given, params: Readonly<Record<string, string>> = {}): string {
  const known: Readonly<Record<string, string>> = { ...given, ...params }
  return route.endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'x')
}

/** Headers that every operation is content with. */
export const welcome: Readonly<Record<string, string>> = {
  authorization: 'Bearer sk-test',
  'anthropic-version': '2023-06-01',
}

/** Makes what the valid requests start from. */
export async function prepare(sim: Simulator): Promise<Given> {
  const post = (path: string, body: unknown): Promise<Response> =>
    sim.fetch(`http://gateway.test${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const made = async (path: string, body: unknown): Promise<{ id: string; name: string }> => {
    const response = await post(path, body)
    if (response.status !== 200)
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as { id: string; name: string }
  }
  const { name } = await made('/v1beta/models/veo-3:predictLongRunning', {
    instances: [{ prompt: 'a sunset [sim:finished]' }],
  })
  const drawn = (await (
    await post('/v1/images/generations', { prompt: 'a fox', size: '256x256' })
  ).json()) as { data: { url: string }[] }
  const [, project_id = '', , location = '', , publisher = '', , model = '', , operation_id = ''] =
    name.split('/')
  const file_id = `${operation_id.replaceAll('-', '')}0`
  const video_id = (await made('/v1/videos', { model: 'sim-finished', prompt: 'a sunset' })).id
  return {
    jobId: (await made('/v1/tob/diffusion', { model: 'sim-finished', text: 'a lighthouse' })).id,
    imageId: /img_\w+/.exec(drawn.data[0]?.url ?? '')?.[0] ?? '',
    image: '0.png',
    video_id,
    // Of the control API: any thing of the session.
    id: video_id,
    video: '0.mp4',
    ...{ project_id, location, publisher, model, operation_id, file_id },
    uri: `/gateway.test/v1beta/files/${file_id}:download`,
  }
}
