/** The chat API: its endpoints, credentials and error format. */

import * as z from 'zod'
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineEndpoint, defineGroup } from '../../protocol/endpoint.ts'
import { json } from '../../protocol/response.ts'
import { createChatCompletion } from './create-chat-completion.ts'

// Listed if the settings have no models; then every id is valid.
const examples = ['gpt-4o', 'gpt-4o-mini', 'gpt-5', 'image-job-v7', 'video-1', 'jev-latest'] as const
const created = 1_735_689_600
const released = '2025-01-01'

/**
 * `GET /v1/models`: the configured models. Not in the contract; SDKs and tools use it to check whether a
 * gateway is up.
 */
const listModels = defineEndpoint({
  operation: 'models.list',
  method: 'GET',
  path: '/v1/models',
  summary: 'List models',
  extension: 'the openai package and many other tools request this list',
  accepts: [],
  response: () =>
    z.strictObject({
      object: z.literal('list'),
      data: z.array(
        z.strictObject({
          id: z.string(),
          object: z.literal('model'),
          created: z.int(),
          owned_by: z.string(),
        }),
      ),
      models: z
        .array(z.strictObject({ name: z.string(), description: z.string(), release_date: z.string() }))
        .describe('The same models in the format that decision evaluation clients expect.'),
    }),
  act({ key }, { settings }) {
    const named = [...new Set(Object.values(settings.models).flatMap((ids) => ids ?? []))]
    const visible = (key.models ?? (named.length > 0 ? named : examples)).filter((id) => !id.endsWith('*'))
    return json({
      object: 'list',
      data: visible.map((id) => ({ id, object: 'model', created, owned_by: 'gateway-sim' })),
      models: visible.map((name) => ({
        name,
        description: 'A gateway-sim model',
        release_date: released,
      })),
    })
  },
})

export const chat = defineGroup({
  name: 'chat',
  catalog: 'chat',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [createChatCompletion, listModels],
  renderError: openaiError,
  responseHeaders: openaiHeaders,
  // A stream of this API family reports an error as an event with a truthy `error`.
  streamError: (error, ids) => ({ data: JSON.stringify(openaiError(error, ids).body) }),
})
