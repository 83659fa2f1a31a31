/** The videos of the gateway (contract 4.6): their operations, their key, how they word an error. */
import { openaiError, openaiHeaders } from '../../behaviours/refusals/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { createVideo } from './create-video.ts'
import { deleteVideo } from './delete-video.ts'
import { listVideos } from './list-videos.ts'
import { remixVideo } from './remix-video.ts'
import { retrieveVideo } from './retrieve-video.ts'
import { videoContent } from './video-content.ts'

export const videos = defineGroup({
  name: 'videos',
  catalog: 'videos',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [createVideo, retrieveVideo, videoContent, remixVideo, listVideos, deleteVideo],
  renderError: openaiError,
  replyHeaders: openaiHeaders,
})
