/** Polls an operation by its name. */

import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'
import { operationsKind } from './kind.ts'
import { operationName } from './operation.ts'
import { modelPath, operation } from './schema.ts'

export const retrieveOperation = defineEndpoint({
  operation: 'videoOperations.retrieve',
  method: 'GET',
  path: `${modelPath}/operations/{operation_id}`,
  summary: 'Poll a video operation',
  accepts: [],
  job: {
    polls: operationsKind,
    concerns: { kind: operationsKind, id: ({ operation_id: id }) => id },
  },
  response: operation,
  idsIn: { params: ['operation_id'] },
  act(call, context) {
    const { project_id: project, location, publisher, model, operation_id: id } = call.params
    const found = operationsKind.get(id, call.key.value, context)
    const polled = operationName(id, { project, location, publisher, model })
    const name = operationName(id, found.facts)
    if (polled === name) return operationsKind.respond(found, call.now, context)
    throw new ApiError(
      'not_found_error',
      `The operation \`${id}\` has another name: expected ${name}, got ${clip(polled, 300)}. Poll /v1beta/ ` +
        'followed by the name from the submission response.',
      { param: 'operation_id' },
    )
  },
})
