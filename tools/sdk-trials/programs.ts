/**
 * Programs as the documentation of each SDK shows them, with default settings: what a team gets before it
 * writes a line for failures. Each returns what it prints.
 */

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import type { SdkOptions } from '../../src/index.ts'

export interface Program {
  /** The call that it makes: `streamText`. */
  readonly call: string
  /** The packages, first the one that a column names. */
  readonly packages: readonly string[]
  readonly streams: boolean
  run(sdk: SdkOptions): Promise<string>
}

const prompt = 'Tell me about the sea.'
const messages = [{ role: 'user' as const, content: prompt }]
const gpt = 'gpt-4o'
const claude = 'claude-opus-5-5'

/** With the package's own limit of tokens. */
function chatAnthropic(sdk: SdkOptions): ChatAnthropic {
  const { maxTokens: _, ...options } = sdk.langchainAnthropic()
  return new ChatAnthropic({ model: claude, ...options })
}

export const programs: readonly Program[] = [
  {
    call: 'chat.completions.create',
    packages: ['openai'],
    streams: false,
    async run(sdk) {
      const client = new OpenAI(sdk.openai())
      const completion = await client.chat.completions.create({ model: gpt, messages })
      return String((completion.choices[0] as OpenAI.ChatCompletion.Choice).message.content)
    },
  },
  {
    call: 'messages.create',
    packages: ['@anthropic-ai/sdk'],
    streams: false,
    async run(sdk) {
      const client = new Anthropic(sdk.anthropic())
      const message = await client.messages.create({ max_tokens: 1024, model: claude, messages })
      return JSON.stringify(message.content)
    },
  },
  {
    call: 'generateText',
    packages: ['ai', '@ai-sdk/openai'],
    streams: false,
    async run(sdk) {
      const model = createOpenAI(sdk.aiSdkOpenai()).chat(gpt)
      const { text } = await generateText({ model, prompt })
      return text
    },
  },
  {
    call: 'generateText',
    packages: ['ai', '@ai-sdk/anthropic'],
    streams: false,
    async run(sdk) {
      const model = createAnthropic(sdk.aiSdkAnthropic())(claude)
      const { text } = await generateText({ model, prompt })
      return text
    },
  },
  {
    call: 'ChatOpenAI.invoke',
    packages: ['@langchain/openai', '@langchain/core'],
    streams: false,
    async run(sdk) {
      const model = new ChatOpenAI({ model: gpt, ...sdk.langchainOpenai() })
      return JSON.stringify((await model.invoke(prompt)).content)
    },
  },
  {
    call: 'ChatAnthropic.invoke',
    packages: ['@langchain/anthropic', '@langchain/core'],
    streams: false,
    async run(sdk) {
      const model = chatAnthropic(sdk)
      return JSON.stringify((await model.invoke(prompt)).content)
    },
  },
  {
    call: 'images.generate',
    packages: ['openai'],
    streams: false,
    async run(sdk) {
      const client = new OpenAI(sdk.openai())
      const { data } = await client.images.generate({ model: 'dall-e-3', prompt })
      return String(data?.[0]?.url)
    },
  },
  {
    call: 'chat.completions.create',
    packages: ['openai'],
    streams: true,
    async run(sdk) {
      const client = new OpenAI(sdk.openai())
      const stream = await client.chat.completions.create({ model: gpt, messages, stream: true })
      let printed = ''
      for await (const chunk of stream) printed += chunk.choices[0]?.delta?.content ?? ''
      return printed
    },
  },
  {
    call: 'messages.stream',
    packages: ['@anthropic-ai/sdk'],
    streams: true,
    async run(sdk) {
      const client = new Anthropic(sdk.anthropic())
      let printed = ''
      const stream = client.messages
        .stream({ max_tokens: 1024, model: claude, messages })
        .on('text', (text) => {
          printed += text
        })
      await stream.finalMessage()
      return printed
    },
  },
  {
    call: 'streamText',
    packages: ['ai', '@ai-sdk/openai'],
    streams: true,
    async run(sdk) {
      const model = createOpenAI(sdk.aiSdkOpenai()).chat(gpt)
      const { textStream } = streamText({ model, prompt })
      let printed = ''
      for await (const delta of textStream) printed += delta
      return printed
    },
  },
  {
    call: 'streamText',
    packages: ['ai', '@ai-sdk/anthropic'],
    streams: true,
    async run(sdk) {
      const model = createAnthropic(sdk.aiSdkAnthropic())(claude)
      const { textStream } = streamText({ model, prompt })
      let printed = ''
      for await (const delta of textStream) printed += delta
      return printed
    },
  },
  {
    call: 'ChatOpenAI.stream',
    packages: ['@langchain/openai', '@langchain/core'],
    streams: true,
    async run(sdk) {
      const model = new ChatOpenAI({ model: gpt, ...sdk.langchainOpenai() })
      let printed = ''
      for await (const chunk of await model.stream(prompt)) printed += chunk.text
      return printed
    },
  },
  {
    call: 'ChatAnthropic.stream',
    packages: ['@langchain/anthropic', '@langchain/core'],
    streams: true,
    async run(sdk) {
      const model = chatAnthropic(sdk)
      let printed = ''
      for await (const chunk of await model.stream(prompt)) printed += chunk.text
      return printed
    },
  },
]
