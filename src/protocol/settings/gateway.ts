/** Settings of the service: the account behind the keys, its limits, and each of its APIs. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import { amount, count, duration, kibibyte, mebibyte, modelIds, unknownParameters, words } from './values.ts'

/** Settings of videos and long-running video operations. */
export const videos = lazy(() =>
  z
    .strictObject({
      duration: duration('60s', 'Virtual time from submission to the finished video.'),
      expiresAfter: duration('24h', 'How long a finished video can be downloaded.'),
      minBytes: z
        .int()
        .min(0)
        .max(256 * mebibyte)
        .default(0)
        .describe(
          'The minimum size of a video file in bytes, reached by padding that players ignore. For testing ' +
            'progress, resuming and slow reads: an unpadded file has only some tens of kilobytes.',
        ),
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
      duration: duration('60s', 'Virtual time from submission to the finished operation.'),
      place: z
        .strictObject({
          project: nameSegment('gateway-sim', 'The project in operation names.'),
          location: nameSegment('us-central1', 'The location in operation names.'),
          publisher: nameSegment('google', 'The publisher in operation names.'),
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
        .describe(
          'The status with which the upstream rejects every evaluation: 422 becomes 400, 429 stays, 5xx ' +
            'becomes 503. If left out, it rejects none.',
        ),
      usage: z
        .enum(['missing', 'invalid'])
        .optional()
        .describe(
          'What is wrong with the usage that the upstream reports (becomes 502); if left out, nothing.',
        ),
    })
    .prefault({}),
)

const price = lazy(() =>
  z
    .strictObject({
      currency: z.string().min(1).default('USD').describe('The currency of amounts.'),
      input: amount(1, 'Per million input tokens.', [0]),
      output: amount(0, 'Per million output tokens.', [0]),
    })
    .prefault({}),
)

export const systemone = lazy(() =>
  z
    .strictObject({
      maxTokens: count(
        64 * kibibyte,
        'The maximum number of tokens of the state and all questions together (400 beyond; contract ' +
          'section 8: 64K).',
        1,
      ),
      maxQuestionTokens: count(
        32 * kibibyte,
        'The maximum number of tokens of the state and the longest question together (400 beyond; contract ' +
          'section 8: 32K).',
        1,
      ),
      decimals: z
        .number()
        .int()
        .min(0)
        .max(10)
        .default(2)
        .describe('The number of decimals to which probabilities, confidences and scores are rounded.'),
      upstreamModels: z
        .record(z.string().min(1), z.string().min(1))
        .default({})
        .describe(
          'Per model id (`*` matches any ending): the upstream model or version in responses; for others, ' +
            'the model id itself.',
        ),
      upstreamFields: z
        .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]))
        .default({})
        .describe('Extra fields of the upstream that every response passes through.'),
      upstream: upstream(),
      price: price(),
      discount: amount(0, 'The discount on the price, 0 to 1.', [0, 1]),
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
            'Model ids (`*` matches any ending) of the newest kind, A in the contract. A model id of no ' +
              'kind follows the rules of A too.',
          ),
          b: modelsOfKind(['dall-e-2'], 'Model ids (`*` matches any ending) of kind B.'),
          c: modelsOfKind(['dall-e-3'], 'Model ids (`*` matches any ending) of kind C.'),
        })
        .prefault({}),
      defaults: z
        .strictObject({
          a: defaultModel('gpt-image-1', 'The model of a request that names none and uses what only A has.'),
          b: defaultModel('dall-e-2', 'The model of any other request that names none.'),
        })
        .prefault({}),
      withoutInputFidelity: z
        .array(z.string().min(1))
        .default(['gpt-image-1-mini*'])
        .describe('Model ids (`*` matches any ending) of kind A that reject `input_fidelity`.'),
      transparencyWithoutMask: z
        .enum(['b', 'all', 'none'])
        .default('b')
        .describe(
          'For which kinds of models an edit without a mask requires an image with transparent pixels ' +
            '(otherwise: 400).',
        ),
      unknownParameters: unknownParameters('What happens to request fields that the contract does not name.'),
      firstEventAfter: duration('2s', 'Virtual time before the first event of a stream.'),
      eventInterval: duration('2s', 'Virtual time before each further event of a stream.'),
      urlExpiresAfter: duration('60m', 'How long the URL of an image can be read.'),
    })
    .prefault({}),
)

export const imageJobs = lazy(() =>
  z
    .strictObject({
      submitted: z
        .enum(['running', 'finished'])
        .default('running')
        .describe('The state in the response to a submission: status 1, or the terminal one.'),
      duration: duration('40s', 'Virtual time from submission to result.'),
      edits: z
        .record(
          z.string(),
          z.array(z.enum(['variation', 'pan', 'retexture', 'uploadPaint', 'removeBackground'])),
        )
        .default({})
        .describe('Per model id (`*` matches any ending): which edits it supports; all when not listed.'),
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
          'The values of `storage_provider` (the first is the default), each with the scheme of `path`. ' +
            '`cos` signs like COS (`q-sign-…`), others like OSS (`Expires`, `Signature`).',
        ),
      region: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'expected up to 64 letters, digits and dashes')
        .default('local')
        .describe('The region in the URLs of files when a request names none.'),
      bucket: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected up to 63 lower-case letters, digits and dashes')
        .optional()
        .describe(
          'A bucket in front of the path of a file in `path` (`cos://bucket/a.png`); none when left out ' +
            '(`cos://a.png`).',
        ),
      method: z.enum(['PUT', 'POST']).default('PUT').describe('The method that an upload URL is signed for.'),
      uploadStatus: z.literal([200, 201]).default(200).describe('The status of a successful upload.'),
      expiresAfter: duration('15m', 'How long an upload URL is valid; rounded up to whole seconds.'),
      pathBytes: count(
        850,
        'The longest path of a file in bytes of UTF-8 (400 beyond); COS takes 850, OSS 1023.',
        1,
      ),
      credentials: z
        .enum(['reject', 'ignore'])
        .default('reject')
        .describe('What happens to an upload that carries an API key (contract 5: it must carry none).'),
    })
    .prefault({}),
)

/** Settings of chat completions and messages. */
export const chat = lazy(() =>
  z
    .strictObject({
      unknownParameters: unknownParameters('What happens to request fields that the contract does not name.'),
      reasoningModels: words(
        ['o1*', 'o3*', 'o4*', 'gpt-5*'],
        'Model ids (`*` matches any ending) that reason before they answer: they reject `max_tokens` and ' +
          'count reasoning tokens.',
      ),
      unstreamedModels: words(
        [],
        'Model ids (`*` matches any ending) that reject `stream: true` (400), as some reasoning models do.',
      ),
      firstEventAfter: duration('120ms', 'Virtual time before the first event of a stream.'),
      eventInterval: duration('15ms', 'Virtual time between the events of a stream.'),
    })
    .prefault({}),
)

export const messages = lazy(() =>
  z
    .strictObject({
      maxTokens: count(
        8192,
        'The largest `max_tokens` of a request (400 above it). Clients of newer models ask for ' +
          '64000 by default.',
        1,
      ),
      unknownParameters: unknownParameters(
        'What happens to request fields that the simulator does not know.',
      ),
      firstEventAfter: duration('120ms', 'Virtual time before the first event of a stream.'),
      eventInterval: duration('15ms', 'Virtual time before each delta of a stream.'),
    })
    .prefault({}),
)

export const keys = lazy(() =>
  z
    .record(
      z.string().min(1),
      z.strictObject({ models: modelIds().describe('The model ids this key may use; if left out, all.') }),
    )
    .optional()
    .describe('The API keys that exist. If left out, every non-empty key works.'),
)

export const models = lazy(() =>
  z
    .strictObject({
      chat: modelIds().describe('Model ids of chat; if left out, any.'),
      messages: modelIds().describe(
        'Model ids of messages; if left out, any. The contract allows five without naming them: ' +
          'docs/reference/settings.md lists five that fit.',
      ),
      images: modelIds().describe('Model ids of image generations and edits; if left out, any.'),
      imageJobs: modelIds().describe('Model ids of image jobs; if left out, any.'),
      videos: modelIds().describe('Model ids of videos; if left out, any.'),
      videoOperations: modelIds().describe('Model ids of long-running video operations; if left out, any.'),
      systemone: modelIds().describe('Model ids of decision evaluation; if left out, any.'),
    })
    .prefault({}),
)

export const limits = lazy(() =>
  z
    .strictObject({
      activeImageJobs: count(
        10,
        'The maximum number of active image jobs per key (beyond it: 429, code 2007).',
        1,
      ),
      requestsPerMinute: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe(
          'Requests per key and virtual minute; if left out, unlimited. The rate-limit headers count down ' +
            'only if it is set.',
        ),
      jsonBytes: count(64 * mebibyte, 'The maximum size of a JSON body in bytes (beyond it: 413).', kibibyte),
      formBytes: count(
        256 * mebibyte,
        'The maximum size of a form body in bytes (beyond it: 413).',
        kibibyte,
      ),
      fileBytes: count(128 * mebibyte, 'The maximum size of an uploaded file in bytes (beyond it: 413).', 1),
      chatImageBytes: count(
        8 * mebibyte,
        'The maximum size of an image input of chat in bytes; larger ones are discarded.',
        1,
      ),
    })
    .prefault({}),
)
