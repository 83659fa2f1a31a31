/** Polls an operation by its name. */

import * as z from 'zod'
import type { Call } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { PlainResponse } from '../../protocol/response.ts'
import { operationsKind } from './kind.ts'
import type { Operation, OperationPlace } from './operation.ts'
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

function pollNamed(
  id: string,
  call: Call & { readonly params: Readonly<Record<(typeof names)[keyof OperationPlace], string>> },
  context: Context,
): PlainResponse {
  const found = operationsKind.get(id, call.key.value, context)
  const { project_id: project, location, publisher, model } = call.params
  checkOperationPath(found, { project, location, publisher, model })
  return operationsKind.respond(found, call.now, context)
}

const names = { project: 'project_id', location: 'location', publisher: 'publisher', model: 'model' } as const

/** All five parts of the name must match. */
function checkOperationPath({ id, facts }: Operation, place: OperationPlace): void {
  for (const part of ['project', 'location', 'publisher', 'model'] as const) {
    if (facts[part] === place[part]) continue
    throw new ApiError(
      'not_found_error',
      `The operation \`${id}\` exists under another path: expected the ${names[part]} "${facts[part]}", ` +
        `got "${place[part].slice(0, 100)}". Poll /v1beta/ followed by the name from ` +
        `the submission response.`,
      { param: names[part] },
    )
  }
}
