/** Settings of image generations, edits and image jobs. */
import * as z from 'zod'
import { duration, unknownParameters } from './values.ts'

const modelsOfKind = (defaultModels: string[], description: string) =>
  z.array(z.string().min(1)).min(1).default(defaultModels).describe(description)

const defaultModel = (model: string, description: string) =>
  z.string().min(1).default(model).describe(description)

export const images = z
  .strictObject({
    models: z
      .strictObject({
        a: modelsOfKind(
          ['gpt-image-*', 'chatgpt-image*'],
          'Model ids (`*` matches any ending) of the newest kind, A in the contract. A model id of no kind ' +
            'follows the rules of A too.',
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
      .describe('Model ids (`*` matches any ending) of kind A that refuse `input_fidelity`.'),
    transparencyWithoutMask: z
      .enum(['b', 'all', 'none'])
      .default('b')
      .describe(
        'For which kinds of models an edit without a mask requires an image with transparent pixels ' +
          '(otherwise: 400).',
      ),
    unknownParameters: unknownParameters('What happens to request fields that the contract does not name.'),
    firstPartialAfter: duration('2s', 'Virtual time before the first event of a stream.'),
    partialEvery: duration('2s', 'Virtual time before each further event of a stream.'),
    urlExpiresAfter: duration('60m', 'How long the address of an image can be read.'),
  })
  .prefault({})

export const imageJobs = z
  .strictObject({
    submitted: z
      .enum(['running', 'terminal'])
      .default('running')
      .describe(
        'The state in the reply to a submission: status 1, or the final one (contract 4.1 allows both).',
      ),
    duration: duration('40s', 'Virtual time from submission to result.'),
    operations: z
      .record(
        z.string(),
        z.array(z.enum(['variation', 'pan', 'retexture', 'uploadPaint', 'removeBackground'])),
      )
      .default({})
      .describe('Per model id (`*` matches any ending): which edits it supports; all when not listed.'),
  })
  .prefault({})
