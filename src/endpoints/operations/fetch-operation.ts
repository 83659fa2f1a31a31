/**
 * `POST …:fetchPredictOperation`: how Vertex clients poll. Not in the contract (wire-formats section 6).
 */
import * as z from 'zod'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { findOperation, pollOperation } from './operation.ts'
import { checkOperationPath } from './retrieve-operation.ts'
import { modelPath, namePattern, operation } from './schema.ts'
import { operationsKind } from './scripted.ts'
import { operationReply } from './wire.ts'

export const fetchOperation = defineEndpoint({
  operation: 'operations.fetch',
  method: 'POST',
  path: `${modelPath}:fetchPredictOperation`,
  summary: 'Polls a long-running operation, as Vertex clients do',
  extension: 'Vertex clients (@google/genai 3) poll here',
  continues: true,
  accepts: ['json'],
  polls: { kind: operationsKind, field: 'operationName' },
  concerns: {
    kind: operationsKind,
    id: (_, { operationName: name }) => (typeof name === 'string' ? name.slice(-36) : undefined),
  },
  body: z.looseObject({
    operationName: z
      .string()
      .regex(namePattern, 'expected projects/…/locations/…/publishers/…/models/…/operations/<id>'),
  }),
  reply: operation,
  act(call, context) {
    const id = call.body.operationName.slice(-36)
    const found = findOperation(id, call.key.value, context)
    checkOperationPath(found, {
      project: call.params.project_id,
      location: call.params.location,
      publisher: call.params.publisher,
      model: call.params.model,
    })
    return operationReply(found, pollOperation(found, call.now, context), context.world)
  },
})
