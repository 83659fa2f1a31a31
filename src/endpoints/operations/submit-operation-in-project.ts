/**
 * The submission as Vertex clients address it: publisher and model in the path. Not in the contract
 * (wire-formats section 6).
 */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { submitBody, submitted } from './schema.ts'
import { operationsKind } from './scripted.ts'
import { promptInInstance, submitVideo } from './submit-operation.ts'

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
