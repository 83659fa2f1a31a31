/** Settings of the service: API keys, limits, and each group of operations. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import { docsPage } from '../docs-page.ts'
import { amount, count, duration, kibibyte, mebibyte, modelIds, unknownParameters, words } from './values.ts'

/** Settings of videos and long-running video operations. */
export const videos = lazy(() =>
  z
    .strictObject({
      duration: duration('60s', 'Virtual time from submission to completion.'),
      expiresAfter: duration('24h', 'Period in which a finished video can be downloaded.'),
      minBytes: z
        .int()
        .min(0)
        .max(256 * mebibyte)
        .default(0)
        .describe('Minimum size of a video file. Smaller files are padded with bytes that players ignore.'),
    })
    .prefault({}),
)

const nameSegment = (defaultValue: string, description: string) =>
  z
    .string()
    .regex(/^[^/]+$/)
    .default(defaultValue)
    .describe(description)

export const videoOperations = lazy(() =>
  z
    .strictObject({
      duration: duration('60s', 'Virtual time from submission to completion.'),
      place: z
        .strictObject({
          project: nameSegment('gateway-sim', 'Project in operation names.'),
          location: nameSegment('us-central1', 'Location in operation names.'),
          publisher: nameSegment('google', 'Publisher in operation names.'),
        })
        .prefault({}),
    })
    .prefault({}),
)

/** Settings of decision evaluation. */
const upstream = lazy(() =>
  z
    .strictObject({
      status: z
        .number()
        .int()
        .min(400)
        .max(599)
        .optional()
        .describe('Status of the upstream for every evaluation. Default: no error.'),
      usage: z
        .enum(['missing', 'invalid'])
        .optional()
        .describe(
          'Error in the usage that the upstream reports. The gateway then returns 502. Default: no error.',
        ),
    })
    .prefault({}),
)

const price = lazy(() =>
  z
    .strictObject({
      currency: z.string().min(1).default('USD').describe('Currency of amounts.'),
      input: amount(1, 'Price per million input tokens.', [0]),
      output: amount(0, 'Price per million output tokens.', [0]),
    })
    .prefault({}),
)

export const systemone = lazy(() =>
  z
    .strictObject({
      maxTokens: count(64 * kibibyte, 'Maximum tokens in the state and all questions (otherwise 400).', 1),
      maxQuestionTokens: count(
        32 * kibibyte,
        'Maximum tokens in the state and the longest question (otherwise 400).',
        1,
      ),
      decimals: z
        .number()
        .int()
        .min(0)
        .max(10)
        .default(2)
        .describe('Decimal places of probabilities, confidences and scores.'),
      upstreamModels: z
        .record(z.string().min(1), z.string().min(1))
        .default({})
        .describe(
          'Upstream model or version in responses, by model id (`*` matches any ending). ' +
            'Default: the model id.',
        ),
      upstreamFields: z
        .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]))
        .default({})
        .describe('Extra upstream fields in every response.'),
      upstream: upstream(),
      price: price(),
      discount: amount(0, 'Discount as a fraction of the price.', [0, 1]),
    })
    .prefault({}),
)

/** Settings of image generations, edits and image jobs. */
const modelsOfKind = (defaultModels: string[], description: string) =>
  z.array(z.string().min(1)).min(1).default(defaultModels).describe(description)

const defaultModel = (model: string, description: string) =>
  z.string().min(1).default(model).describe(description)

export const images = lazy(() =>
  z
    .strictObject({
      models: z
        .strictObject({
          a: modelsOfKind(
            ['gpt-image-*', 'chatgpt-image*'],
            'Model ids of kind A, the newest (`*` matches any ending). Unlisted ids are treated as kind A.',
          ),
          b: modelsOfKind(['dall-e-2'], 'Model ids of kind B (`*` matches any ending).'),
          c: modelsOfKind(['dall-e-3'], 'Model ids of kind C (`*` matches any ending).'),
        })
        .prefault({}),
      defaults: z
        .strictObject({
          a: defaultModel(
            'gpt-image-1',
            'Default model for requests with a feature that only kind A supports.',
          ),
          b: defaultModel('dall-e-2', 'Default model for all other requests.'),
        })
        .prefault({}),
      withoutInputFidelity: z
        .array(z.string().min(1))
        .default(['gpt-image-1-mini*'])
        .describe('Ids of kind A models that reject `input_fidelity` (`*` matches any ending).'),
      transparencyWithoutMask: z
        .enum(['b', 'all', 'none'])
        .default('b')
        .describe(
          'Model kinds for which an edit without a mask needs transparent pixels in the image (else 400).',
        ),
      unknownParameters: unknownParameters('Handling of request fields outside the contract.'),
      firstEventAfter: duration('2s', 'Delay before the first event of a stream.'),
      eventInterval: duration('2s', 'Delay before each subsequent event.'),
      urlExpiresAfter: duration('60m', 'Lifetime of an image URL.'),
    })
    .prefault({}),
)

export const imageJobs = lazy(() =>
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
    .prefault({}),
)

/** Settings of uploaded files. */
export const files = lazy(() =>
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
      region: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits and dashes')
        .default('local')
        .describe('Region in file URLs if the request does not specify a region.'),
      bucket: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected up to 63 lower-case letters, digits and dashes')
        .optional()
        .describe('Bucket in `path` (`cos://bucket/a.png`). Default: none (`cos://a.png`).'),
      method: z.enum(['PUT', 'POST']).default('PUT').describe('HTTP method of upload URLs.'),
      uploadStatus: z.literal([200, 201]).default(200).describe('Status of a successful upload.'),
      expiresAfter: duration('15m', 'Lifetime of an upload URL, rounded up to whole seconds.'),
      pathBytes: count(
        850,
        'Maximum length of a file path in UTF-8 bytes (otherwise 400). COS allows 850, OSS 1023.',
        1,
      ),
      credentials: z
        .enum(['reject', 'ignore'])
        .default('reject')
        .describe('Handling of uploads that include an API key.'),
    })
    .prefault({}),
)

/** Settings of chat completions and messages. */
export const chat = lazy(() =>
  z
    .strictObject({
      unknownParameters: unknownParameters('Handling of request fields outside the contract.'),
      reasoningModels: words(
        ['o1*', 'o3*', 'o4*', 'gpt-5*'],
        'Ids of reasoning models, which reject `max_tokens` and count reasoning tokens (`*` matches any ' +
          'ending).',
      ),
      unstreamedModels: words(
        [],
        'Ids of models that reject `stream: true` with 400 (`*` matches any ending).',
      ),
      firstEventAfter: duration('120ms', 'Delay before the first event of a stream.'),
      eventInterval: duration('15ms', 'Delay between events.'),
    })
    .prefault({}),
)

export const messages = lazy(() =>
  z
    .strictObject({
      maxTokens: count(
        8192,
        'Maximum `max_tokens`; a higher value gets a 400. Clients for newer models send 64000 by default.',
        1,
      ),
      unknownParameters: unknownParameters('Handling of unknown request fields.'),
      firstEventAfter: duration('120ms', 'Delay before the first event of a stream.'),
      eventInterval: duration('15ms', 'Delay before each delta.'),
    })
    .prefault({}),
)

export const keys = lazy(() =>
  z
    .record(
      z.string().min(1),
      z.strictObject({ models: modelIds().describe('Model ids that this API key can use. Default: all.') }),
    )
    .optional()
    .describe('Valid API keys. Default: every non-empty key.'),
)

export const models = lazy(() =>
  z
    .strictObject({
      chat: modelIds().describe('Model ids for chat. Default: any.'),
      messages: modelIds().describe(
        'Model ids for messages. Default: any. The contract allows five models without naming them ' +
          `(candidates: ${docsPage('settings')}).`,
      ),
      images: modelIds().describe('Model ids for image generations and edits. Default: any.'),
      imageJobs: modelIds().describe('Model ids for image jobs. Default: any.'),
      videos: modelIds().describe('Model ids for videos. Default: any.'),
      videoOperations: modelIds().describe('Model ids for video operations. Default: any.'),
      systemone: modelIds().describe('Model ids for decision evaluation. Default: any.'),
    })
    .prefault({}),
)

export const limits = lazy(() =>
  z
    .strictObject({
      activeImageJobs: count(10, 'Maximum active image jobs per API key (otherwise 429, code 2007).', 1),
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
      formBytes: count(256 * mebibyte, 'Maximum size of a form body (otherwise 413).', kibibyte),
      fileBytes: count(128 * mebibyte, 'Maximum size of an uploaded file (otherwise 413).', 1),
      chatImageBytes: count(
        8 * mebibyte,
        'Maximum size of an image input in chat. Larger images are discarded.',
        1,
      ),
    })
    .prefault({}),
)
