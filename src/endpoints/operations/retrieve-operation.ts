/** `GET /v1beta/projects/…/operations/{operation_id}` (contract 4.7): polls an operation by its name. */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { findOperation, type Operation, pollOperation } from './operation.ts'
import { modelPath, operation } from './schema.ts'
import { operationsKind } from './scripted.ts'
import { operationReply } from './wire.ts'

export const retrieveOperation = defineEndpoint({
  operation: 'operations.retrieve',
  method: 'GET',
  path: `${modelPath}/operations/{operation_id}`,
  summary: 'Polls a long-running operation',
  accepts: [],
  polls: { kind: operationsKind },
  concerns: { kind: operationsKind, id: ({ operation_id: id }) => id },
  sdkNames: { 'operations.getVideosOperation': '', 'operations.get_videos_operation': '' },
  reply: operation,
  idsIn: { params: ['operation_id'] },
  act(call, context) {
    const found = findOperation(call.params.operation_id, call.key.value, context)
    checkOperationPath(found, {
      project: call.params.project_id,
      location: call.params.location,
      publisher: call.params.publisher,
      model: call.params.model,
    })
    return operationReply(found, pollOperation(found, call.now, context), context.world)
  },
})

const names = { project: 'project_id', location: 'location', publisher: 'publisher', model: 'model' } as const

/** All five parts of the name must be those of the operation. */
export function checkOperationPath(
  { id, facts }: Operation,
  place: {
    readonly project: string
    readonly location: string
    readonly publisher: string
    readonly model: string
  },
): void {
  for (const part of ['project', 'location', 'publisher', 'model'] as const) {
    if (facts[part] === place[part]) continue
    throw new ApiError(
      'not_found_error',
      [
        `The operation \`${id}\` exists, but not under this path: ${names[part]} is "${facts[part]}",`,
        `got "${place[part].slice(0, 100)}". Poll /v1beta/ and the name that the submission returned.`,
      ].join(' '),
      { param: names[part] },
    )
  }
}
