/** The probes of `gateway-sim check` for videos. */
import { from, type ProbeSet, theModel, withoutKey } from '../../protocol/probe.ts'
import { retrieveVideo, videoContent } from './read-videos.ts'
import { createVideo, remixVideo } from './submit-video.ts'

const answered = { spend: 'all', expect: { status: [200] } } as const
const form = [
  ['model', theModel],
  ['prompt', 'a sunset over the sea'],
] as const
const polling = {
  pointer: '/status',
  until: ['completed', 'failed'],
  succeeded: { pointer: '/status', is: ['completed'] },
} as const
const unknown = { video_id: 'video_that_does_not_exist' }
const created = 'a video'
const finished = 'the video, polled to completion'

export const videosProbes: ProbeSet = {
  group: 'videos',
  model: 'sora-2',
  probes: [
    withoutKey('a video without an API key', createVideo, { form }),
    withoutKey('a poll of a video without an API key', retrieveVideo, { params: unknown }),
    // The only free probe that shows whether the gateway has videos: unknown ids get 404 in any case.
    {
      name: 'a video as JSON, without a prompt',
      endpoint: createVideo,
      states: 'multipart: `model` string, `prompt` string',
      spend: 'none',
      request: { json: {} },
      expect: { status: 'invalid' },
    },
    {
      name: 'a poll of an unknown video',
      endpoint: retrieveVideo,
      states: 'An error body has an object `error`',
      spend: 'none',
      request: { params: unknown },
      expect: { status: 'rejected' },
    },
    {
      ...answered,
      name: created,
      endpoint: createVideo,
      states: '200 video object',
      request: { form },
    },
    {
      name: 'the content of an unfinished video',
      endpoint: videoContent,
      states: 'Content download applies to a completed video',
      spend: 'all',
      request: { params: { video_id: from(created, '/id') } },
      while: { probe: created, pointer: '/status', is: ['pending'] },
      expect: { status: 'rejected' },
    },
    {
      ...answered,
      name: finished,
      endpoint: retrieveVideo,
      states: '200 video object with completed_at, expires_at, remixed_from_video_id',
      request: { params: { video_id: from(created, '/id') } },
      polling,
    },
    {
      ...answered,
      name: 'the content of the video',
      endpoint: videoContent,
      states: '200 the completed video file content',
      request: { params: { video_id: from(finished, '/id') } },
    },
    {
      ...answered,
      name: 'a remix of the video',
      endpoint: remixVideo,
      states: '200 video object including `remixed_from_video_id`',
      request: {
        params: { video_id: from(finished, '/id') },
        json: { model: theModel, prompt: 'the same at night' },
      },
    },
    {
      ...answered,
      name: 'the remix, polled to completion',
      endpoint: retrieveVideo,
      states: 'remixed_from_video_id: source video id; returned by remix and status query',
      request: { params: { video_id: from('a remix of the video', '/id') } },
      polling,
    },
  ],
}
