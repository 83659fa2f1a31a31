/** Models of the AI SDK and of LangChain behind a way to a simulator. They do not retry. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { ChatAnthropic, type ChatAnthropicInput } from '@langchain/anthropic'
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'

/** Where calls go. Without a `fetch`, a client keeps the one that it would use anyway. */
export interface Way {
  readonly url: string
  readonly fetch?: typeof fetch
  readonly apiKey?: string
  readonly maxRetries?: number
}

const own = ({ fetch }: Way) => (fetch === undefined ? {} : { fetch })

export const aiOpenai = (way: Way) =>
  createOpenAI({ apiKey: way.apiKey ?? 'sk-test', baseURL: `${way.url}/v1`, ...own(way) })

export const aiAnthropic = (way: Way) =>
  createAnthropic({ apiKey: way.apiKey ?? 'sk-test', baseURL: `${way.url}/v1`, ...own(way) })

export const langchainOpenai = (way: Way, model: string, fields: Partial<ChatOpenAIFields> = {}) =>
  new ChatOpenAI({
    model,
    apiKey: way.apiKey ?? 'sk-test',
    maxRetries: way.maxRetries ?? 0,
    configuration: { baseURL: `${way.url}/v1`, logLevel: 'off', ...own(way) },
    ...fields,
  })

export const langchainAnthropic = (way: Way, model: string, fields: Partial<ChatAnthropicInput> = {}) =>
  new ChatAnthropic({
    model,
    apiKey: way.apiKey ?? 'sk-test',
    maxRetries: way.maxRetries ?? 0,
    anthropicApiUrl: way.url,
    clientOptions: own(way),
    ...fields,
  })
