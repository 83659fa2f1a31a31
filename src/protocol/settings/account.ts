/** Settings of the account behind the API keys: keys, models, limits. */
import * as z from 'zod'
import { count, kibibyte, mebibyte, modelIds } from './values.ts'

export const keys = z
  .record(
    z.string().min(1),
    z.strictObject({ models: modelIds.describe('The model ids this key may use; if left out, all.') }),
  )
  .optional()
  .describe('The API keys that exist. If left out, every non-empty key works.')

export const models = z
  .strictObject({
    chat: modelIds.describe('Model ids of chat; if left out, any.'),
    messages: modelIds.describe(
      'Model ids of messages; if left out, any. The contract allows five without naming them: ' +
        'docs/settings.md lists five that fit.',
    ),
    images: modelIds.describe('Model ids of image generations and edits; if left out, any.'),
    imageJobs: modelIds.describe('Model ids of image jobs; if left out, any.'),
    videos: modelIds.describe('Model ids of videos; if left out, any.'),
    operations: modelIds.describe('Model ids of long-running video operations; if left out, any.'),
    systemone: modelIds.describe('Model ids of decision evaluation; if left out, any.'),
  })
  .prefault({})

export const limits = z
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
    formBytes: count(256 * mebibyte, 'The maximum size of a form body in bytes (beyond it: 413).', kibibyte),
    fileBytes: count(128 * mebibyte, 'The maximum size of an uploaded file in bytes (beyond it: 413).', 1),
    chatImageBytes: count(
      8 * mebibyte,
      'The maximum size of an image input of chat in bytes; larger ones are discarded (contract 4.2).',
      1,
    ),
  })
  .prefault({})
