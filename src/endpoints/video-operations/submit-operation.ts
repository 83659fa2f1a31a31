/**
 * `POST /v1beta/models/{model}:predictLongRunning`: submits a video; the response is only a name. Nothing is
 * fetched.
 */

import type * as z from 'zod'
import { imageInRequest } from '../../behaviours/uploads/upload.ts'
import type { Fields } from '../../engine/fields.ts'
import { checkModel } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint, type Unplanned } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import type { Settings } from '../../protocol/settings.ts'
import { asText, clip, valueAt } from '../../protocol/wording.ts'
import { operationsKind } from './kind.ts'
import { defaultPlace, factsIn, type OperationPlace } from './operation.ts'
import { type image, imageElsewhere, type SubmitBody, submitBody, submitted } from './schema.ts'

const submission = {
  method: 'POST',
  accepts: ['json'],
  job: { submits: operationsKind },
  body: submitBody,
  response: submitted,
  promptOf: promptInInstance,
  check(
    { params: { model }, key }: Unplanned<SubmitBody, { readonly model: string }>,
    settings: Settings,
  ): void {
    checkModel(model, key, 'videoOperations', settings)
  },
} as const

const sample = { model: 'veo-1', instances: [{ prompt: 'a question' }] }

export const submitOperation = defineEndpoint({
  ...submission,
  operation: 'videoOperations.submit',
  path: '/v1beta/models/{model}:predictLongRunning',
  summary: 'Create a video operation',
  sampleCall: () => sample,
  act: (call, context) => submitVideo(call, { ...defaultPlace, model: call.params.model }, context),
})

/** The submission as Vertex clients send it: publisher and model in the path. Not in the contract. */
export const submitOperationInProject = defineEndpoint({
  ...submission,
  operation: 'videoOperations.submitForPublisher',
  path: '/v1beta/publishers/{publisher}/models/{model}:predictLongRunning',
  summary: 'Create a video operation at a publisher path',
  extension: 'Vertex clients (@google/genai in express mode) use this path',
  sampleCall: () => ({ publisher: 'google', ...sample }),
  example: {
    params: { publisher: 'google', model: 'veo-3.0-generate-001' },
    json: { instances: [{ prompt: 'A river in the morning' }] },
  },
  act: (call, context) => submitVideo(call, { ...defaultPlace, ...call.params }, context),
})

/** Submits a video for a model of a project, location and publisher. */
function submitVideo(call: Call<SubmitBody>, place: OperationPlace, context: Context): PlainResponse {
  const [instance] = call.body.instances
  // A prompt or an image is required.
  if (instance === undefined || (instance.prompt === undefined && instance.image === undefined))
    throw new ApiError(
      'invalid_request_error',
      '`instances[0]`: expected a `prompt`, an `image` or both, got neither.',
      { param: 'instances[0]' },
    )
  checkImages(call.body, context)
  return operationsKind.submit(call, context, {
    ...place,
    prompt: clip(instance.prompt ?? '', 4000),
    ...factsIn(call.body.parameters),
    seed: call.content.fork('operation').hex(16),
  })
}

type Image = z.output<ReturnType<typeof image>>

/** Throws a 400 for a reference to an unusable image. */
function checkImages({ instances }: SubmitBody, context: Context): void {
  const check = (named: Image | undefined, ...field: PropertyKey[]): void => {
    if (named !== undefined && typeof named['bytesBase64Encoded'] !== 'string')
      imageInRequest(asText(named['gcsUri']), ['instances', ...field, 'gcsUri'], imageElsewhere, context)
  }
  for (const [index, { image, lastFrame, referenceImages = [] }] of instances.entries()) {
    check(image, index, 'image')
    check(lastFrame, index, 'lastFrame')
    for (const [place, reference] of referenceImages.entries())
      check(reference.image, index, 'referenceImages', place, 'image')
  }
}

/** The prompt of an unvalidated body. */
function promptInInstance({ instances }: Fields): unknown {
  return valueAt(instances, [0, 'prompt'])
}
