/** Settings of the account behind the API keys: keys, models, limits. */
import * as z from 'zod'
import { count, kibibyte, mebibyte, modelIds } from './values.ts'

export const keys = z
  .record(
    z.string().min(1),
    z.strictObject({ models: modelIds.describe('The model ids this key may use; all when left out.') }),
  )
  .optional()
  .describe('The API keys that exist. When left out, every non-empty key works.')

export const models = z
  .strictObject({
    chat: modelIds.describe('Model ids that chat knows; any when left out.'),
    messages: modelIds.describe(
      'Model ids that messages knows; any when left out. The contract allows five and omits them; ' +
        'claude-3-5-sonnet-20241022, claude-3-5-haiku-20241022, claude-3-opus-20240229, ' +
        'claude-3-sonnet-20240229 and claude-3-haiku-20240307 fit it.',
    ),
    images: modelIds.describe('Model ids that image generations and edits know; any when left out.'),
    imageJobs: modelIds.describe('Model ids that image jobs know; any when left out.'),
    videos: modelIds.describe('Model ids that videos know; any when left out.'),
    operations: modelIds.describe('Model ids that long-running video operations know; any when left out.'),
    systemone: modelIds.describe('Model ids that decision evaluation knows; any when left out.'),
  })
  .prefault({})

export const limits = z
  .strictObject({
    activeImageJobs: count(
      10,
      'How many image jobs of one key may be active at once (429, code 2007, beyond).',
      1,
    ),
    requestsPerMinute: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe(
        'Requests per key and virtual minute; unlimited when left out. The rate-limit headers count down ' +
          'only when it is set.',
      ),
    jsonBytes: count(64 * mebibyte, 'The largest JSON body in bytes (413 beyond).', kibibyte),
    formBytes: count(256 * mebibyte, 'The largest form body in bytes (413 beyond).', kibibyte),
    fileBytes: count(128 * mebibyte, 'The largest file that can be uploaded, in bytes (413 beyond).', 1),
    chatImageBytes: count(
      8 * mebibyte,
      'Image inputs of chat above this many bytes are discarded (contract 4.2).',
      1,
    ),
  })
  .prefault({})
