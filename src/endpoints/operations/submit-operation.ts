/**
 * `POST /v1beta/models/{model}:predictLongRunning` (contract 4.7): submits a video; the reply is only a
 * name.
 */
import { checkModel } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { json, type Reply } from '../../protocol/reply.ts'
import { addOperation, type OperationPlace } from './operation.ts'
import { type SubmitBody, submitBody, submitted } from './schema.ts'
import { operationsKind } from './scripted.ts'
import { checkPictures } from './stills.ts'
import { operationName } from './wire.ts'

export const submitOperation = defineEndpoint({
  operation: 'operations.submit',
  method: 'POST',
  path: '/v1beta/models/{model}:predictLongRunning',
  summary: 'Submits a video as a long-running operation',
  accepts: ['json'],
  sdkNames: { 'models.generateVideos': '', 'models.generate_videos': '' },
  submits: operationsKind,
  sampleCall: () => ({ model: 'veo-1', instances: [{ prompt: 'a question' }] }),
  body: submitBody,
  reply: submitted,
  promptOf: promptInInstance,
  act: (call, context) =>
    submitVideo(call, { ...context.settings.operations.place, model: call.params.model }, context),
})

/**
 * The submission as Vertex clients address it: publisher and model in the path. Not in the contract
 * (wire-formats section 6).
 */
export const submitOperationInProject = defineEndpoint({
  operation: 'operations.submitForPublisher',
  method: 'POST',
  path: '/v1beta/publishers/{publisher}/models/{model}:predictLongRunning',
  summary: 'Submits a video as a long-running operation, addressed by publisher',
  extension: 'Vertex clients (@google/genai in express mode) submit here',
  accepts: ['json'],
  submits: operationsKind,
  sampleCall: () => ({ publisher: 'google', model: 'veo-1', instances: [{ prompt: 'a question' }] }),
  body: submitBody,
  reply: submitted,
  example: {
    params: { publisher: 'google', model: 'veo-3.0-generate-001' },
    json: { instances: [{ prompt: 'A river in the morning' }] },
  },
  promptOf: promptInInstance,
  act: (call, context) =>
    submitVideo(
      call,
      { ...context.settings.operations.place, publisher: call.params.publisher, model: call.params.model },
      context,
    ),
})

/** Submits a video for a model of a project, location and publisher. */
function submitVideo(call: Call<SubmitBody>, place: OperationPlace, context: Context): Reply {
  checkModel(place.model, call.key, 'operations', context.settings)
  const [instance] = call.body.instances
  // Text or a picture: one of them must say what is wanted (wire-formats section 6).
  if (instance?.prompt === undefined && instance?.image === undefined)
    throw new ApiError(
      'invalid_request_error',
      '`instances[0]`: expected a `prompt`, an `image`, or both, got neither.',
      { param: 'instances[0]' },
    )
  checkPictures(call.body, context)
  return json({ name: operationName(addOperation(call.body, place, call, context)) })
}

/** The prompt of an unvalidated body. */
function promptInInstance({ instances }: Readonly<Record<string, unknown>>): unknown {
  const [first] = Array.isArray(instances) ? (instances as unknown[]) : []
  return (first as { prompt?: unknown } | null | undefined)?.prompt
}
