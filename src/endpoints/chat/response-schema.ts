/** The responses of chat completions: one body, or the events of a stream. */

import * as z from 'zod'
import {
  contractSays,
  describedIn,
  relied,
  spare,
  stated,
  sumOf,
  unixSeconds,
  unnamed,
} from '../../protocol/contract-reading.ts'

const text = () => z.string()

const usageFields = () =>
  z.strictObject({
    prompt_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    prompt_tokens_details: spare(
      z.strictObject({ audio_tokens: spare(z.int().min(0)), cached_tokens: spare(z.int().min(0)) }),
    ),
    completion_tokens_details: spare(
      z.strictObject({
        accepted_prediction_tokens: spare(z.int().min(0)),
        audio_tokens: spare(z.int().min(0)),
        reasoning_tokens: spare(z.int().min(0)),
        rejected_prediction_tokens: spare(z.int().min(0)),
      }),
    ),
  })
const usage = () =>
  stated(
    usageFields()
      .refine(...sumOf('total_tokens', 'prompt_tokens', 'completion_tokens'))
      .describe('The token usage.'),
  )

const tokenLogprob = () =>
  z.strictObject({
    token: text(),
    logprob: z.number().max(0),
    bytes: spare(z.array(z.int().min(0).max(255))),
  })
const logprobs = () =>
  z.strictObject({
    content: z.array(tokenLogprob().extend({ top_logprobs: z.array(tokenLogprob()) })).nullable(),
    refusal: z.array(tokenLogprob().extend({ top_logprobs: z.array(tokenLogprob()) })).nullable(),
  })
const finishReasons = () => z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])
// The contract shows only `stop`; clients know these values.
const finishReason = () =>
  contractSays(
    finishReasons().clone(),
    () => z.string(),
    () => finishReasons(),
  )
const serviceTier = () => spare(z.enum(['auto', 'default', 'flex', 'scale', 'priority']))

const annotation = () =>
  z.strictObject({
    type: z.literal('url_citation'),
    url_citation: z.strictObject({ start_index: z.int(), end_index: z.int(), url: z.url(), title: text() }),
  })
const answeredCall = () =>
  z.discriminatedUnion('type', [
    z.strictObject({
      id: text(),
      type: z.literal('function'),
      function: z.strictObject({ name: text(), arguments: text() }),
    }),
    z.strictObject({
      id: text(),
      type: z.literal('custom'),
      custom: z.strictObject({ name: text(), input: text() }),
    }),
  ])

/** The plain response. */
export const chatCompletion = () =>
  describedIn(
    'contract 2.6',
    z.strictObject({
      id: z.string().startsWith('chatcmpl-'),
      object: z.literal('chat.completion'),
      created: unixSeconds(),
      model: text(),
      choices: relied(
        z
          .array(
            z.strictObject({
              index: z.int().min(0),
              message: relied(
                z.strictObject({
                  role: z.literal('assistant'),
                  content: text().nullable(),
                  refusal: text().nullable(),
                  reasoning_content: unnamed(z.string())
                    .optional()
                    .describe('The reasoning text. Only scripted responses contain it.'),
                  annotations: z.array(annotation()).optional(),
                  tool_calls: z.array(answeredCall()).min(1).optional(),
                  function_call: z.strictObject({ name: text(), arguments: text() }).optional(),
                  audio: z
                    .strictObject({ id: text(), expires_at: unixSeconds(), data: text(), transcript: text() })
                    .optional(),
                }),
              ),
              logprobs: logprobs().nullable(),
              finish_reason: finishReason(),
            }),
          )
          .min(1),
      ),
      usage: usage(),
      service_tier: serviceTier(),
      system_fingerprint: z.string(),
    }),
  )

const deltaCall = () =>
  z.strictObject({
    index: relied(z.int().min(0)),
    id: text().optional(),
    type: z.enum(['function', 'custom']).optional(),
    function: z.strictObject({ name: text().optional(), arguments: spare(z.string()) }).optional(),
    custom: z.strictObject({ name: text().optional(), input: spare(z.string()) }).optional(),
  })

/** One event of the stream. */
export const chatChunk = () =>
  describedIn(
    'wire-formats 2.4',
    z.strictObject({
      id: z.string().startsWith('chatcmpl-'),
      object: z.literal('chat.completion.chunk'),
      created: unixSeconds(),
      model: text(),
      service_tier: serviceTier(),
      system_fingerprint: spare(z.string()),
      choices: relied(
        z.array(
          z.strictObject({
            index: relied(z.int().min(0)),
            delta: relied(
              z.strictObject({
                role: z.literal('assistant').optional(),
                content: text().nullable().optional(),
                refusal: text().nullable().optional(),
                reasoning_content: text().nullable().optional(),
                tool_calls: z.array(deltaCall()).optional(),
                function_call: z
                  .strictObject({ name: text().optional(), arguments: spare(z.string()) })
                  .optional(),
                annotations: z.array(annotation()).optional(),
                audio: z
                  .strictObject({
                    id: text().optional(),
                    transcript: text().optional(),
                    data: text().optional(),
                    expires_at: unixSeconds().optional(),
                  })
                  .optional(),
              }),
            ),
            logprobs: logprobs().nullable(),
            finish_reason: finishReason().nullable(),
          }),
        ),
      ),
      usage: usage().nullable().optional(),
    }),
  )
