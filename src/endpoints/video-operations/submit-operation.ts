/**
 * `POST /v1beta/models/{model}:predictLongRunning`: submits a video; the response is only a name. Nothing is
 * fetched.
 */

import type * as z from 'zod'
import { sourceAt } from '../../behaviours/source-url.ts'
import { imageInRequest } from '../../behaviours/uploads/upload.ts'
import { defined, type Fields } from '../../engine/fields.ts'
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
    ...defined({ stills: stillsIn(call.body, context, call.now) }),
    seed: call.content.fork('operation').hex(16),
  })
}

type Image = z.output<ReturnType<typeof image>>

/** In words: `image`, or else the first of `referenceImages`, and `lastFrame`; undefined without any. */
function stillsIn({ instances: [instance] }: SubmitBody, context: Context, now: number): string | undefined {
  const nameOf = (named: Image): string =>
    typeof named['bytesBase64Encoded'] === 'string'
      ? 'an image in the request'
      : sourceAt(asText(named['gcsUri']), context, now).name
  const first = instance?.image ?? instance?.referenceImages?.[0]?.image
  const last = instance?.lastFrame
  const parts: string[] = []
  if (first !== undefined) parts.push(`from ${nameOf(first)}`)
  if (last !== undefined) parts.push(`to ${nameOf(last)}`)
  return parts.length === 0 ? undefined : parts.join(' ')
}

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
