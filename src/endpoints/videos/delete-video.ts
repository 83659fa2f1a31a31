/** DELETE /v1/videos/{video_id}: deletes a finished video. The upstream has it, the contract does not. */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { json } from '../../protocol/reply.ts'
import { deletedVideo } from './schema.ts'
import { videosKind } from './scripted.ts'
import { findVideo, removeVideo, snapshotOf } from './video.ts'

export const deleteVideo = defineEndpoint({
  operation: 'videos.delete',
  method: 'DELETE',
  path: '/v1/videos/{video_id}',
  summary: 'Deletes a completed or failed video',
  extension: 'clients of this family call it (wire-formats section 5)',
  accepts: [],
  about: videosKind,
  concerns: { kind: videosKind, id: ({ video_id: id }) => id },
  reply: deletedVideo,
  idsIn: { params: ['video_id'] },
  act(call, context) {
    const video = findVideo(call.params.video_id, call.key, context)
    const { view } = snapshotOf(video, call.now, context.settings)
    if (view.status !== 'completed' && view.status !== 'failed') {
      throw new ApiError(
        'invalid_request_error',
        [
          `Only a completed or failed video can be deleted: the status of \`${video.id}\` is`,
          `${view.status}, its progress ${view.progress}.`,
        ].join(' '),
        { param: 'video_id' },
      )
    }
    removeVideo(video, context)
    return json({ id: video.id, object: 'video.deleted', deleted: true })
  },
})
