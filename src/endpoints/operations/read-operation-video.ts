/**
 * `GET /media/operations/{operation_id}/{video}`: a video by its operation and index. Needs no key;
 * `?key=` is ignored.
 */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { findOperation } from './operation.ts'
import { operationsKind } from './scripted.ts'
import { serveVideo, videoFileName } from './video-address.ts'

export const readOperationVideo = defineEndpoint({
  operation: 'operations.readVideo',
  method: 'GET',
  path: '/media/operations/{operation_id}/{video}',
  summary: 'Returns a video of an operation by its index',
  extension: 'an address that follows from the id of the operation',
  open: true,
  concerns: { kind: operationsKind, id: ({ operation_id: id }) => id },
  accepts: [],
  idsIn: { params: ['operation_id', 'video'] },
  act(call, context) {
    const { operation_id: id, video } = call.params
    return serveVideo(
      video,
      findOperation(id, undefined, context),
      { now: call.now, world: context.world },
      videoFileName,
      'video',
    )
  },
})
