/** GET /v1/videos/{video_id}: the state of a video (contract 4.6). */
import { markOffContract } from '../../behaviours/jobs/job.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { json } from '../../protocol/reply.ts'
import { videoStatus } from './schema.ts'
import { videosKind } from './scripted.ts'
import { findVideo, pollVideo } from './video.ts'
import { statusFields } from './video-object.ts'

export const retrieveVideo = defineEndpoint({
  operation: 'videos.retrieve',
  method: 'GET',
  path: '/v1/videos/{video_id}',
  summary: 'Returns the status of a video',
  accepts: [],
  polls: { kind: videosKind },
  about: videosKind,
  concerns: { kind: videosKind, id: ({ video_id: id }) => id },
  reply: videoStatus,
  idsIn: { params: ['video_id'] },
  act(call, context) {
    const video = findVideo(call.params.video_id, call.key, context)
    return markOffContract(json(statusFields(pollVideo(video, call.now, context))), video)
  },
})
