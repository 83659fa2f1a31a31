/** `GET /media/operations/{operation_id}/{video}`: the film behind a result's `uri`. Read without a key; `?key=` is ignored. */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { file } from '../../protocol/reply.ts'
import { findOperation, viewOf } from './operation.ts'
import { filmName, filmOf, samplesOf } from './wire.ts'

export const readOperationVideo = defineEndpoint({
  operation: 'operations.readVideo',
  method: 'GET',
  path: '/media/operations/{operation_id}/{video}',
  summary: 'Downloads a video that an operation has made',
  beyondContract: 'the result uris lead here',
  open: true,
  accepts: [],
  idsIn: { params: ['operation_id', 'video'] },
  act(call, context) {
    const found = findOperation(call.params.operation_id, undefined, context)
    const view = viewOf(found, call.now)
    const samples = view.state === 'SUCCEEDED' ? samplesOf(found, view) : 0
    const sample = Array.from({ length: samples }, (_, place) => place).find((place) => filmName(found.facts, place) === call.params.video)
    if (sample === undefined) throw new ApiError('not_found_error', `The operation \`${found.id}\` has no video \`${call.params.video.slice(0, 100)}\`: its state is ${view.state}, its videos are 0.mp4 to ${Math.max(0, samples - 1)}.mp4 once it has succeeded.`, { param: 'video' })
    return file(filmOf(found, sample, context.world), { download: filmName(found.facts, sample) })
  },
})
