/** Polls an operation by its name. */

import * as z from 'zod'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint, type PathParams } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import { clip } from '../../protocol/wording.ts'
import { operationsKind } from './kind.ts'
import { operationName } from './operation.ts'
import { modelPath, namePattern, operation } from './schema.ts'

export const retrieveOperation = defineEndpoint({
  operation: 'videoOperations.retrieve',
  method: 'GET',
  path: `${modelPath}/operations/{operation_id}`,
  summary: 'Poll a video operation',
  accepts: [],
  job: {
    polls: { kind: operationsKind },
    concerns: { kind: operationsKind, id: ({ operation_id: id }) => id },
  },
  response: operation,
  idsIn: { params: ['operation_id'] },
  act(call, context) {
    return pollNamed(call.params.operation_id, call, context)
  },
})

/** The poll of Vertex clients. Not in the contract. */
export const fetchOperation = defineEndpoint({
  operation: 'videoOperations.fetch',
  method: 'POST',
  path: `${modelPath}:fetchPredictOperation`,
  summary: 'Poll a video operation with POST',
  extension: 'Vertex clients (@google/genai 3) poll this path',
  continues: true,
  accepts: ['json'],
  job: {
    polls: { kind: operationsKind, field: 'operationName' },
    concerns: {
      kind: operationsKind,
      id: (_, { operationName: name }) => (typeof name === 'string' ? name.slice(-36) : undefined),
    },
  },
  body: () =>
    z.looseObject({
      operationName: z
        .string()
        .regex(namePattern, 'expected projects/…/locations/…/publishers/…/models/…/operations/<id>'),
    }),
  response: operation,
  act(call, context) {
    return pollNamed(call.body.operationName.slice(-36), call, context)
  },
})

/** All parts of the name must match. */
function pollNamed(
  id: string,
  call: Call & { readonly params: PathParams<typeof modelPath> },
  context: Context,
): PlainResponse {
  const found = operationsKind.get(id, call.key.value, context)
  const { project_id: project, location, publisher, model } = call.params
  const polled = operationName(id, { project, location, publisher, model })
  const name = operationName(id, found.facts)
  if (polled !== name)
    throw new ApiError(
      'not_found_error',
      `The operation \`${id}\` has another name: expected ${name}, got ${clip(polled, 300)}. Poll /v1beta/ ` +
        'followed by the name from the submission response.',
      { param: 'operation_id' },
    )
  return operationsKind.respond(found, call.now, context)
}
