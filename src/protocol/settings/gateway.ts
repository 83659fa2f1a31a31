/** Settings of the service: API keys, models, limits, and each group of operations. */

import * as z from 'zod'
import { docsPage } from '../docs-page.ts'
import { anyModels, count, duration, ids, kibibyte, mebibyte, modelIds } from './values.ts'

const keys = () =>
  z
    .record(
      z.string().min(1),
      z.strictObject({
        models: ids().optional().describe('Model ids that this API key can use. Default: all.'),
      }),
    )
    .optional()
    .describe('Valid API keys. Default: every non-empty key.')

const models = () =>
  z
    .strictObject({
      chat: anyModels('Model ids for chat.'),
      messages: anyModels(
        'Model ids for messages. The contract allows five models without naming them (candidates: ' +
          `${docsPage('settings')}).`,
      ),
      images: anyModels('Model ids for image generations and edits.'),
      imageJobs: anyModels('Model ids for image jobs.'),
      videos: anyModels('Model ids for videos.'),
      videoOperations: anyModels('Model ids for video operations.'),
      systemone: anyModels('Model ids for decision evaluation.'),
    })
    .prefault({})

const limits = () =>
  z
    .strictObject({
      activeImageJobs: count(10, 'Maximum active image jobs per API key (otherwise 429, code 2007).'),
      requestsPerMinute: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe(
          'Maximum requests per API key and virtual minute. Default: unlimited, with constant rate limit ' +
            'headers.',
        ),
      jsonBytes: count(64 * mebibyte, 'Maximum size of a JSON body (otherwise 413).', kibibyte),
      fileBytes: count(
        128 * mebibyte,
        'Maximum size of an uploaded file (otherwise 413). A form may have twice this size.',
      ),
    })
    .prefault({})

const chat = () =>
  z
    .strictObject({
      reasoningModels: modelIds(
        ['o1*', 'o3*', 'o4*', 'gpt-5*'],
        'Ids of reasoning models, which reject `max_tokens` and count reasoning tokens (`*` matches any ' +
          'ending).',
      ),
      firstEventAfter: duration('120ms', 'Delay before the first event of a stream.'),
      eventInterval: duration('15ms', 'Delay between events.'),
    })
    .prefault({})

const messages = () =>
  z
    .strictObject({
      maxTokens: count(
        8192,
        'Maximum `max_tokens`; a higher value gets a 400. Clients for newer models send 64000 by default.',
      ),
      firstEventAfter: duration('120ms', 'Delay before the first event of a stream.'),
      eventInterval: duration('15ms', 'Delay before each delta.'),
    })
    .prefault({})

const images = () =>
  z
    .strictObject({
      models: z
        .strictObject({
          b: modelIds(['dall-e-2'], 'Model ids of kind B (`*` matches any ending).'),
          c: modelIds(
            ['dall-e-3'],
            'Model ids of kind C (`*` matches any ending). All others are of kind A.',
          ),
        })
        .prefault({}),
    })
    .prefault({})

const imageJobs = () =>
  z
    .strictObject({
      submitted: z
        .enum(['running', 'finished'])
        .default('running')
        .describe(
          'State in the response to a submission: `running` (status 1), or `finished` (the final status).',
        ),
      duration: duration('40s', 'Virtual time from submission to completion.'),
      edits: z
        .record(
          z.string(),
          z.array(z.enum(['variation', 'pan', 'retexture', 'uploadPaint', 'removeBackground'])),
        )
        .default({})
        .describe('Supported edits, by model id (`*` matches any ending). Default: all.'),
    })
    .prefault({})

const videos = () =>
  z.strictObject({ duration: duration('60s', 'Virtual time from submission to completion.') }).prefault({})

const files = () =>
  z
    .strictObject({
      providers: z
        .record(z.string().min(1), z.string().regex(/^[a-z]{1,16}$/, 'expected 1 to 16 lower-case letters'))
        .refine((providers) => Object.keys(providers).length > 0, 'expected at least one provider')
        .default({ COS: 'cos', OSS: 'oss' })
        .describe(
          'Valid `storage_provider` values (the first is the default), each with the URL scheme used in ' +
            '`path`. URLs with the scheme `cos` are signed as in COS (`q-sign-…`), others as in OSS ' +
            '(`Expires`, `Signature`).',
        ),
      method: z.enum(['PUT', 'POST']).default('PUT').describe('HTTP method of upload URLs.'),
    })
    .prefault({})

/** The groups in which two gateways can differ. */
export const gatewaySettings = {
  keys,
  models,
  limits,
  chat,
  messages,
  images,
  imageJobs,
  videos,
  videoOperations: videos,
  files,
}
