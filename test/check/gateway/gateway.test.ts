/** The gateway of the tests answers real clients, so that what a check finds in it is not its own mistake. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { createGateway } from './gateway.ts'

const { fetch, baseUrl, apiKey } = createGateway()
const openai = new OpenAI({ apiKey, baseURL: `${baseUrl}/v1`, fetch: fetch as never })
const question = [{ role: 'user', content: 'Rivers?' }] as const

it('streams chats that the SDK of OpenAI reads', async () => {
  const chat = await openai.chat.completions
    .stream({ model: 'm', messages: [...question], stream_options: { include_usage: true } })
    .finalChatCompletion()
  expect(chat).toMatchObject({
    choices: [{ finish_reason: 'stop', message: { content: expect.stringContaining('silt') as string } }],
    usage: { completion_tokens: 7 },
  })
})

it('streams messages that the SDK of Anthropic reads', async () => {
  const anthropic = new Anthropic({
    apiKey,
    baseURL: baseUrl,
    fetch: fetch as never,
    defaultHeaders: { 'x-api-key': apiKey },
  })
  const message = await anthropic.messages
    .stream({
      model: 'm',
      max_tokens: 100,
      messages: [...question],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
      tool_choice: { type: 'any' },
    })
    .finalMessage()
  expect(message).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', input: { city: 'x' } }],
  })
})

it('makes videos that the SDK of OpenAI polls and downloads', async () => {
  const video = await openai.videos.create({ model: 'sora-2', prompt: 'A river' })
  expect(video.status).toBe('pending')
  for (let at = 0; at < 3; at += 1) await openai.videos.retrieve(video.id)
  expect(await (await openai.videos.downloadContent(video.id)).text()).toContain('ftyp')
})
