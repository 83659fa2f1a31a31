/** The videos API: its operations, credentials and error format. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { listVideos, retrieveVideo, videoContent } from './read-videos.ts'
import { createVideo, remixVideo } from './submit-video.ts'

export const videos = defineGroup({
  name: 'videos',
  catalog: 'videos',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [createVideo, retrieveVideo, videoContent, remixVideo, listVideos],
  renderError: openaiError,
  responseHeaders: openaiHeaders,
})
