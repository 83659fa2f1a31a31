/** Synchronous answers of the gateway of the tests: chat, messages, decisions. */
import { type Answer, type Asked, inRange, isRecord, isText, require, type Sent } from './exchange.ts'

type Body = Asked['body']

const sentence = 'Rivers carry silt, seeds and old stories.'
const chunks = (text: string): string[] => text.match(/\S+\s*/g) ?? []
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The smallest value that a JSON Schema takes, as far as a test asks. */
function sampleOf(schema: unknown): unknown {
  if (!isRecord(schema)) return 'x'
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isRecord(schema['properties']) ? schema['properties'] : {}).map(([name, one]) => [
          name,
          sampleOf(one),
        ]),
      )
    case 'array':
      return [sampleOf(schema['items'])]
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    default:
      return 'x'
  }
}

interface Said {
  readonly text: string
  readonly ended: 'stop' | 'length' | 'sequence' | 'tool'
  readonly sequence?: string
  readonly call?: { readonly name: string; readonly input: unknown }
}

/** What the model says: one sentence, cut by a limit or a stop sequence, or a call of a tool. */
function say(text: string, stops: readonly unknown[], limit: unknown): Said {
  for (const stop of stops) {
    const at = typeof stop === 'string' && stop !== '' ? text.indexOf(stop) : -1
    if (at >= 0) return { text: text.slice(0, at), ended: 'sequence', sequence: stop as string }
  }
  const words = chunks(text)
  if (typeof limit === 'number' && limit < words.length)
    return { text: words.slice(0, limit).join(''), ended: 'length' }
  return { text, ended: 'stop' }
}

function countTokens(value: unknown): number {
  return chunks(JSON.stringify(value)).length + 3
}

/** POST /v1/chat/completions */
export function chat({ body }: Asked, id: string, now: number): Answer {
  checkChat(body)
  const head = { id, created: now, model: body['model'] }
  const n = (body['n'] ?? 1) as number
  const said = sayChat(body)
  const prompt = countTokens(body['messages'])
  const spoken = n * (chunks(said.text).length + (said.call === undefined ? 0 : 5))
  const usage = { prompt_tokens: prompt, completion_tokens: spoken, total_tokens: prompt + spoken }
  const indices = Array.from({ length: n }, (_, index) => index)
  if (body['stream'] === true) {
    const options = body['stream_options']
    const asked = isRecord(options) && options['include_usage'] === true
    return {
      status: 200,
      events: [
        ...indices.flatMap((index) => chatChunks(said, index, `${id}c${index}`)),
        ...(asked ? [{ choices: [], usage }] : []),
      ]
        .map((part): Sent => ({ data: { ...head, object: 'chat.completion.chunk', ...part } }))
        .concat({ data: '[DONE]' }),
    }
  }
  const choices = indices.map((index) => ({
    index,
    finish_reason: finishOf(said),
    message: {
      role: 'assistant',
      content: said.call === undefined ? said.text : null,
      ...(said.call === undefined ? {} : { tool_calls: [toolCall(said.call, `${id}c${index}`)] }),
    },
    ...(body['logprobs'] === true ? { logprobs: logprobsOf(said.text, body['top_logprobs']) } : {}),
  }))
  const shown = { ...head, system_fingerprint: 'f-1', object: 'chat.completion' }
  return { status: 200, json: { ...shown, choices, usage } }
}

type Range = readonly [name: string, low: number, high: number, whole?: boolean]

function checkRanges(body: Body, ranges: readonly Range[]): void {
  for (const [name, low, high, whole] of ranges)
    require(inRange(body[name], low, high, whole), `${name} is ${low} to ${high}`)
}

function checkChat(body: Body): void {
  require(isText(body['model']), 'model is needed')
  require(!String(body['model']).includes('no-such'), 'there is no such model')
  const messages = list(body['messages'])
  require(messages.length > 0, 'messages needs an item')
  const roles = ['user', 'developer', 'system', 'assistant', 'tool', 'function']
  require(messages.every((one) => isRecord(one) && roles.includes(String(one['role']))), 'unknown role')
  checkRanges(body, [
    ...([
      ['temperature', 0, 2],
      ['top_p', 0, 1],
      ['frequency_penalty', -2, 2],
      ['presence_penalty', -2, 2],
    ] as const),
    ...([
      ['n', 1, 128, true],
      ['top_logprobs', 0, 20, true],
      ['seed', -9.23e18, 9.23e18, true],
    ] as const),
    ...([
      ['max_completion_tokens', 1, 1e9, true],
      ['max_tokens', 1, 1e9, true],
    ] as const),
  ])
  require(body['top_logprobs'] === undefined || body['logprobs'] === true, 'top_logprobs needs logprobs')
  require(list(body['stop']).length <= 4, 'stop has at most 4 sequences')
  for (const value of Object.values(isRecord(body['logit_bias']) ? body['logit_bias'] : {}))
    require(inRange(value, -100, 100), 'logit_bias is -100 to 100')
  require(list(body['modalities']).every((one) => one === 'text' || one === 'audio'), 'unknown modality')
  const choice = body['tool_choice']
  require(typeof choice !== 'string' ||
    ['auto', 'none', 'required'].includes(choice), 'tool_choice is auto, none or required')
  require(['undefined', 'boolean'].includes(typeof body['stream']) ||
    body['stream'] === null, 'stream is a boolean')
}

function sayChat(body: Body): Said {
  const tool = list(body['tools']).find(isRecord)?.['function']
  const wanted = body['tool_choice'] === 'required' || isRecord(body['tool_choice'])
  if (wanted && isRecord(tool))
    return {
      text: '',
      ended: 'tool',
      call: { name: String(tool['name']), input: sampleOf(tool['parameters']) },
    }
  const format = body['response_format']
  const schema = isRecord(format) ? format['json_schema'] : undefined
  const text =
    isRecord(format) && format['type'] !== 'text'
      ? JSON.stringify(isRecord(schema) ? sampleOf(schema['schema']) : { ok: true })
      : sentence
  const stops = typeof body['stop'] === 'string' ? [body['stop']] : list(body['stop'])
  return say(text, stops, body['max_completion_tokens'] ?? body['max_tokens'])
}

const finishOf = ({ ended }: Said): string =>
  ended === 'length' ? 'length' : ended === 'tool' ? 'tool_calls' : 'stop'

const toolCall = (
  { name, input }: NonNullable<Said['call']>,
  id: string,
): Readonly<Record<string, unknown>> => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

function logprobsOf(text: string, top: unknown): unknown {
  const one = (token: string): object => ({ token, logprob: -0.25, bytes: [...Buffer.from(token)] })
  const others = (token: string): object[] => Array.from({ length: Number(top ?? 0) }, () => one(token))
  return { content: chunks(text).map((token) => ({ ...one(token), top_logprobs: others(token) })) }
}

function chatChunks(said: Said, index: number, id: string): Readonly<Record<string, unknown>>[] {
  const chunk = (delta: object, finish: string | null = null): Readonly<Record<string, unknown>> => ({
    choices: [{ index, delta, finish_reason: finish }],
  })
  const end = chunk({}, finishOf(said))
  if (said.call === undefined)
    return [
      chunk({ role: 'assistant', content: '' }),
      ...chunks(said.text).map((content) => chunk({ content })),
      end,
    ]
  const { function: called, ...head } = toolCall(said.call, id)
  const { name, arguments: input } = called as { readonly name: string; readonly arguments: string }
  const first = { index: 0, ...head, function: { name, arguments: '' } }
  return [
    chunk({ role: 'assistant', content: null, tool_calls: [first] }),
    ...[input.slice(0, 4), input.slice(4)].map((part) =>
      chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
    ),
    end,
  ]
}

/** POST /v1/messages */
export function messages({ body }: Asked, id: string): Answer {
  require(isText(body['model']), 'model is needed')
  require(!String(body['model']).includes('no-such'), 'there is no such model')
  require(typeof body['max_tokens'] === 'number', 'max_tokens is needed')
  require(list(body['messages']).length > 0, 'messages needs an item')
  require(list(body['messages']).every(
    (one) => isRecord(one) && ['user', 'assistant'].includes(String(one['role'])),
  ), 'unknown role')
  checkRanges(body, [
    ...([
      ['max_tokens', 1, 8192, true],
      ['top_k', 1, 1e9, true],
      ['temperature', 0, 1],
      ['top_p', 0, 1],
    ] as const),
  ])
  require(list(body['stop_sequences']).length <= 4, 'stop_sequences has at most 4')
  const choice = body['tool_choice']
  const tool = list(body['tools']).find(isRecord)
  const said: Said =
    isRecord(choice) && ['any', 'tool'].includes(String(choice['type'])) && tool !== undefined
      ? {
          text: '',
          ended: 'tool',
          call: { name: String(tool['name']), input: sampleOf(tool['input_schema']) },
        }
      : say(sentence, list(body['stop_sequences']), body['max_tokens'])
  const usage = { input_tokens: countTokens(body['messages']), output_tokens: chunks(said.text).length + 2 }
  const head = { id, type: 'message', role: 'assistant', model: body['model'] }
  const reasons = { stop: 'end_turn', length: 'max_tokens', sequence: 'stop_sequence', tool: 'tool_use' }
  const stop = {
    stop_reason: reasons[said.ended],
    ...(said.sequence === undefined ? {} : { stop_sequence: said.sequence }),
  }
  if (body['stream'] === true) return { status: 200, events: messageEvents(head, said, stop, usage) }
  const content =
    said.call === undefined
      ? { type: 'text', text: said.text }
      : { type: 'tool_use', id: `${id}t`, name: said.call.name, input: said.call.input }
  return { status: 200, json: { ...head, content: [content], ...stop, usage } }
}

function messageEvents(
  head: { readonly id: string },
  said: Said,
  stop: object,
  usage: { readonly input_tokens: number; readonly output_tokens: number },
): Sent[] {
  const input = JSON.stringify(said.call?.input)
  const block =
    said.call === undefined
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `${head.id}t`, name: said.call.name, input: {} }
  const deltas =
    said.call === undefined
      ? chunks(said.text).map((text) => ({ type: 'text_delta', text }))
      : [input.slice(0, 4), input.slice(4)].map((part) => ({ type: 'input_json_delta', partial_json: part }))
  const start = { ...usage, output_tokens: 1 }
  return [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: start } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ].map((data) => ({ event: data.type, data }))
}

/** POST /v1/systemone */
export function systemone({ body }: Asked): Answer {
  require(isText(body['model']), 'model is needed')
  require(!String(body['model']).includes('no-such'), 'there is no such model')
  require(isText(body['state']) || typeof body['state'] === 'object', 'state is text, object or array')
  const questions = body['questions']
  require(isRecord(questions) && Object.keys(questions).length > 0, 'questions is a map with an entry')
  const answers = Object.fromEntries(
    Object.entries(questions).map(([id, question]) => {
      require(isRecord(question), `question ${id} is an object`)
      return [id, decide(id, question)]
    }),
  )
  return {
    status: 200,
    json: { model: 'jev-7', answers, usage: { input_tokens: countTokens(body), output_tokens: 0 } },
  }
}

function decide(id: string, { type, criteria }: Body): object {
  if (type === 'noul') return { noul: 0.75 }
  require(type === 'choice' || type === 'score', `the type of question ${id} is unknown`)
  const labels =
    type === 'choice'
      ? Object.keys(isRecord(criteria) ? criteria : {})
      : list(criteria).map((_, at) => `${at}`)
  const [low, high] = type === 'choice' ? [1, 255] : [2, 10]
  require(labels.length >= low && labels.length <= high, `question ${id} has ${low} to ${high} criteria`)
  const rest = labels.length === 1 ? 0 : 0.25 / (labels.length - 1)
  const probabilities = Object.fromEntries(
    labels.map((label, at) => [label, at > 0 ? rest : labels.length === 1 ? 1 : 0.75]),
  )
  if (type === 'choice') return { choice: labels[0], probabilities, confidence: 0.5 }
  const legend = Object.fromEntries(labels.map((label, at) => [label, list(criteria)[at]]))
  const score = labels.reduce((sum, label, at) => sum + at * (probabilities[label] as number), 0)
  return { score, legend, probabilities, confidence: 0.5 }
}
