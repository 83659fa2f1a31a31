/**
 * Every client of chat and messages as a row of one table: how it asks, how it streams, and where its errors
 * keep what the gateway said. `matrix.test.ts` has what each of them must survive.
 */
import type Anthropic from '@anthropic-ai/sdk'
import type { ChatAnthropic } from '@langchain/anthropic'
import type { AIMessageChunk } from '@langchain/core/messages'
import type { ChatOpenAI } from '@langchain/openai'
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  streamText,
  type ToolSet,
  tool,
} from 'ai'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import * as z from 'zod'
import { packages, weatherTool as weatherOfMessages } from './_anthropic.ts'
import type { RejectedCall } from './_integrations.ts'
import { aiAnthropic, aiOpenai, langchainAnthropic, langchainOpenai, type Way } from './_models.ts'
import { ask, only, weatherTool } from './_openai.ts'

/** Where a call goes, and how. Nothing is retried unless the test says so. */
export interface Call extends Way {
  readonly fetch: typeof fetch
  readonly model: string
  readonly signal?: AbortSignal
}

/** The object `error` of a rejection. */
interface Rejection {
  readonly type: string
  readonly code: number
  readonly message: string
  readonly param: string | null
  readonly trace_id: string
}

/** What an error of the client holds of a rejection, by its own properties first. */
export interface Held extends Rejection {
  readonly status: number
  readonly requestId: unknown
}

export type ToolCall = readonly [name: string, input: unknown]

export interface Client {
  readonly name: string
  readonly api: 'chat' | 'messages'
  text(call: Call, prompt: string): Promise<unknown>
  /** The texts of a stream as they come; throws what the client throws. */
  stream(call: Call, prompt: string): AsyncIterable<string>
  /** The tool calls for a question about the weather; undefined where the client has no tools. */
  tools?(call: Call, prompt: string): Promise<readonly ToolCall[]>
  /** The answer in the shape of `person`. */
  object?(call: Call, prompt: string): Promise<unknown>
  /** Whether an error has the class for such a rejection. */
  isA(error: unknown, thrown: RejectedCall['thrown']): boolean
  held(error: any): Held
  /** Whether it naps to the millisecond, and counts its tries in a header. */
  readonly naps?: 'exact' | 'about'
  readonly counts?: true
}

const person = z.object({ name: z.string(), age: z.number().int() })

/** The errors of the openai package, which LangChain throws too. */
const ofOpenai = ({ status, type, code, param, message, error, requestID }: any): Held => ({
  ...error,
  type,
  code,
  param,
  message: message.replace(`${status} `, ''),
  status,
  requestId: requestID,
})

/** Those of @anthropic-ai/sdk, whose `error` is the whole body. */
const ofAnthropic = ({ status, type, error, requestID }: any): Held => ({
  ...error.error,
  type,
  status,
  requestId: requestID,
})

const openai: Client = {
  name: 'openai',
  api: 'chat',
  async text({ model, ...call }, prompt) {
    return only(await openaiOf(call).create({ model, messages: ask(prompt) })).message.content
  },
  async *stream({ model, signal, ...call }, prompt) {
    const body = { model, messages: ask(prompt), stream: true } as const
    for await (const { choices } of await openaiOf(call).create(body, signal && { signal }))
      if (choices[0]?.delta.content) yield choices[0].delta.content
  },
  async tools({ model, ...call }, prompt) {
    const body = { model, messages: ask(prompt), tools: [weatherTool] }
    const { tool_calls = [] } = only(await openaiOf(call).create(body)).message
    return tool_calls.flatMap((one) =>
      one.type === 'function' ? [[one.function.name, JSON.parse(one.function.arguments)] as const] : [],
    )
  },
  async object({ model, ...call }, prompt) {
    const response_format = zodResponseFormat(person, 'person')
    return only(await openaiOf(call).parse({ model, messages: ask(prompt), response_format })).message.parsed
  },
  isA: (error, thrown) => error instanceof OpenAI[thrown],
  held: ofOpenai,
  naps: 'exact',
  counts: true,
}

const openaiOf = ({ url, apiKey = 'sk-test', maxRetries = 0, fetch }: Omit<Call, 'model'>) =>
  new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries, fetch }).chat.completions

const anthropic = ({ version, Sdk, zodOutputFormat }: (typeof packages)[number]): Client => {
  const messagesOf = ({ url, apiKey = 'sk-test', maxRetries = 0, fetch }: Call) =>
    new Sdk({ apiKey, baseURL: url, maxRetries, fetch }).messages
  const body = ({ model }: Call, content: string) => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content }],
  })
  const textOf = ({ content }: Anthropic.Message) => content.find(({ type }) => type === 'text')
  return {
    name: `@anthropic-ai/sdk ${version}`,
    api: 'messages',
    async text(call, prompt) {
      return (textOf(await messagesOf(call).create(body(call, prompt))) as Anthropic.TextBlock).text
    },
    async *stream(call, prompt) {
      const options = call.signal && { signal: call.signal }
      const events = await messagesOf(call).create({ ...body(call, prompt), stream: true }, options)
      for await (const event of events)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text
    },
    async tools(call, prompt) {
      const { content } = await messagesOf(call).create({ ...body(call, prompt), tools: [weatherOfMessages] })
      return content.flatMap((one) => (one.type === 'tool_use' ? [[one.name, one.input] as const] : []))
    },
    async object(call, prompt) {
      const output_config = { format: zodOutputFormat(person) }
      return (await messagesOf(call).parse({ ...body(call, prompt), output_config })).parsed_output
    },
    isA: (error, thrown) => error instanceof Sdk[thrown],
    held: ofAnthropic,
    naps: 'exact',
    counts: true,
  }
}

const aiSdk = (name: string, api: Client['api'], modelOf: (call: Call) => LanguageModel): Client => {
  const asking = (call: Call, prompt: string) => ({
    model: modelOf(call),
    prompt,
    maxOutputTokens: 100,
    maxRetries: call.maxRetries ?? 0,
  })
  const getWeather = tool({ inputSchema: z.object({ city: z.string() }), description: 'Gets the weather' })
  return {
    name,
    api,
    text: async (call, prompt) => (await generateText(asking(call, prompt))).text,
    async *stream(call, prompt) {
      const { signal: abortSignal } = call
      const more = abortSignal === undefined ? {} : { abortSignal }
      const { fullStream } = streamText({ ...asking(call, prompt), ...more, onError() {} })
      for await (const part of fullStream) {
        if (part.type === 'error') throw part.error
        if (part.type === 'abort') throw new DOMException('aborted', 'AbortError')
        if (part.type === 'text-delta') yield part.text
      }
    },
    async tools(call, prompt) {
      const tools = { get_weather: getWeather } as unknown as ToolSet
      const question = { ...asking(call, prompt), tools }
      return (await generateText(question)).toolCalls.map(({ toolName, input }) => [toolName, input])
    },
    object: async (call, prompt) =>
      (await generateObject({ ...asking(call, prompt), schema: person })).object,
    isA: (error) =>
      APICallError.isInstance(error) &&
      error.isRetryable === (error.statusCode === 429 || (error.statusCode ?? 0) >= 500),
    // `data` is what the provider reads of a body; the one of messages reads no code.
    held: ({ statusCode, message, data, responseBody, responseHeaders = {} }) => ({
      ...JSON.parse(responseBody).error,
      type: data.error.type,
      message,
      status: statusCode,
      requestId: responseHeaders['x-request-id'] ?? responseHeaders['request-id'],
    }),
    naps: 'exact',
  }
}

const langchain = (
  name: string,
  api: Client['api'],
  modelOf: (call: Call) => ChatOpenAI | ChatAnthropic,
): Client => ({
  name,
  api,
  text: async (call, prompt) => (await modelOf(call).invoke(prompt)).content,
  async *stream(call, prompt) {
    const chunks = await modelOf(call).stream(prompt, call.signal && { signal: call.signal })
    for await (const { text } of chunks as AsyncIterable<AIMessageChunk>) if (text !== '') yield text
  },
  async tools(call, prompt) {
    const tools = [
      { name: 'get_weather', description: 'Gets the weather', schema: z.object({ city: z.string() }) },
    ]
    const { tool_calls = [] } = await modelOf(call)
      .bindTools(tools as never)
      .invoke(prompt)
    return tool_calls.map(({ name: called, args }) => [called, args])
  },
  object: (call, prompt) => modelOf(call).withStructuredOutput(person, { name: 'person' }).invoke(prompt),
  // Of messages it throws the classes of a package of its own.
  isA: (error, thrown) => (api === 'chat' ? error instanceof OpenAI[thrown] : error instanceof Error),
  held: api === 'chat' ? ofOpenai : ofAnthropic,
  naps: 'about',
})

/** A program without an SDK. */
const plainFetch: Client = {
  name: 'fetch',
  api: 'chat',
  async text(call, prompt) {
    return only((await (await fetched(call, { messages: ask(prompt) })).json()) as OpenAI.ChatCompletion)
      .message.content
  },
  async *stream(call, prompt) {
    const { body } = await fetched(call, { messages: ask(prompt), stream: true })
    const events = (body as ReadableStream)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { data } of events) {
      const { error, choices = [] } = data === '[DONE]' ? {} : JSON.parse(data)
      if (error !== undefined) throw Object.assign(new Error(error.message), error)
      if (choices[0]?.delta.content) yield choices[0].delta.content
    }
  },
  isA: (error) => error instanceof Error,
  held: (error) => error,
}

async function fetched(call: Call, body: object): Promise<Response> {
  const response = await call.fetch(`${call.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${call.apiKey ?? 'sk-test'}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: call.model, ...body }),
    signal: call.signal ?? null,
  })
  if (response.ok) return response
  const { error } = (await response.json()) as { error: Rejection }
  const requestId = response.headers.get('x-request-id')
  throw Object.assign(new Error(error.message), { ...error, status: response.status, requestId })
}

export const clients: readonly Client[] = [
  openai,
  ...packages.map(anthropic),
  aiSdk('@ai-sdk/openai', 'chat', (call) => aiOpenai(call).chat(call.model)),
  aiSdk('@ai-sdk/anthropic', 'messages', (call) => aiAnthropic(call)(call.model)),
  langchain('@langchain/openai', 'chat', (call) => langchainOpenai(call, call.model)),
  langchain('@langchain/anthropic', 'messages', (call) => langchainAnthropic(call, call.model)),
  plainFetch,
]
