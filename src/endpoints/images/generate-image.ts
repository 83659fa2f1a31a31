/** `POST /v1/images/generations`, with one body or a stream as its response. */
import { checkModel } from '../../protocol/auth.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { invalid } from '../../protocol/validate.ts'
import { answerImages } from './answer.ts'
import { errorsOf, modelOf, orderOf, requestRules } from './order.ts'
import { generateBody, imageEvent, imagesResponse, sampleCall } from './schema.ts'

export const generateImage = defineEndpoint({
  operation: 'images.generate',
  method: 'POST',
  path: '/v1/images/generations',
  summary: 'Generate images',
  accepts: ['json'],
  draws: true,
  sampleCall,
  body: generateBody,
  response: imagesResponse,
  event: () => imageEvent('image_generation'),
  // An image does not depend on the number of images or the file format.
  contentIgnores: [
    'n',
    'stream',
    'partial_images',
    'response_format',
    'output_format',
    'output_compression',
    'moderation',
    'user',
  ],
  contentDefaults: { size: 'auto', quality: 'auto', background: 'auto', style: 'vivid' },
  needs: () => ['tokens'],
  promptOf: ({ prompt }) => prompt,
  check: ({ body, key }, settings) => checkModel(modelOf(body, settings).id, key, 'images', settings),
  act(call, context) {
    const { body } = call
    const model = modelOf(body, context.settings)
    // Not in `check`: a reserved model id stands for a model of any kind.
    const errors = errorsOf(requestRules(body, model))
    if (errors.length > 0) throw invalid(errors.slice(0, 20), undefined)
    const order = orderOf(body, model, { content: call.content, sandbox: context.sandbox })
    const sent = { images: [], fidelity: 'low' } as const
    return answerImages({ request: body, order, sent, kind: 'image_generation' }, call, context)
  },
})
