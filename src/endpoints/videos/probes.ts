/** What `gateway-sim check` asks of videos (contract 4.6 and 2.3). */
import { from, noModel, type ProbeSet, theModel, unknownModel, withoutKey } from '../../protocol/probe.ts'
import { retrieveVideo, videoContent } from './read-videos.ts'
import { createVideo, remixVideo } from './submit-video.ts'

const section = 'contract 4.6'
const errors = 'Error bodies follow 2.1'
const unknown = { video_id: 'video_that_does_not_exist' }
const ended = ['completed', 'failed']
const created = 'a video'
const finished = 'the video, polled to its end'

export const videosProbes: ProbeSet = {
  group: 'videos',
  model: { id: 'sora-2', names: /^(?:sora|video)/ },
  probes: [
    withoutKey('a video without a key', createVideo, {
      form: [
        ['model', theModel],
        ['prompt', 'a sunset over the sea'],
      ],
    }),
    withoutKey('the poll of a video without a key', retrieveVideo, { params: unknown }),
    {
      name: 'the poll of an unknown video',
      endpoint: retrieveVideo,
      section: 'contract 4',
      states: errors,
      spend: 'none',
      request: { params: unknown },
      expect: { status: 'refused' },
    },
    {
      name: 'the content of an unknown video',
      endpoint: videoContent,
      section: 'contract 4',
      states: errors,
      spend: 'none',
      request: { params: unknown },
      expect: { status: 'refused' },
    },
    {
      name: 'a remix of an unknown video',
      endpoint: remixVideo,
      section,
      states: 'path `video_id` (a completed video)',
      spend: 'none',
      request: { params: unknown, json: { model: theModel, prompt: 'at night' } },
      expect: { status: 'refused' },
    },
    {
      name: created,
      endpoint: createVideo,
      section,
      states: '200 video object (2.3)',
      spend: 'all',
      request: {
        form: [
          ['model', theModel],
          ['prompt', 'a sunset over the sea'],
        ],
      },
      expect: {
        status: [200],
        claims: [{ pointer: '/status', is: ['pending', 'in_progress', 'completed', 'failed'] }],
      },
    },
    {
      name: 'the content of a video that is not completed',
      endpoint: videoContent,
      section: 'contract 3',
      states: 'Content download applies to a completed video',
      spend: 'all',
      request: { params: { video_id: from(created, '/id') } },
      while: { probe: created, pointer: '/status', is: ['pending'] },
      expect: { status: 'refused' },
    },
    {
      name: finished,
      endpoint: retrieveVideo,
      section,
      states: '200 video object with completed_at, expires_at, remixed_from_video_id',
      spend: 'all',
      request: { params: { video_id: from(created, '/id') } },
      polling: { pointer: '/status', until: ended, succeeded: { pointer: '/status', is: ['completed'] } },
      expect: { status: [200] },
      learn: ({ took }) => (took === 0 ? [] : [['videos.duration', took]]),
    },
    {
      name: 'the content of the video',
      endpoint: videoContent,
      section,
      states: '200 the completed video file content',
      spend: 'all',
      request: { params: { video_id: from(finished, '/id') } },
      expect: { status: [200] },
    },
    {
      name: 'a remix of the video',
      endpoint: remixVideo,
      section,
      states: '200 video object including `remixed_from_video_id`',
      spend: 'all',
      request: {
        params: { video_id: from(finished, '/id') },
        json: { model: theModel, prompt: 'the same at night' },
      },
      expect: {
        status: [200],
        claims: [{ pointer: '/remixed_from_video_id', is: [from(finished, '/id')] }],
      },
    },
    {
      name: 'the remix, polled to its end',
      endpoint: retrieveVideo,
      section: 'contract 2.3',
      states: 'remixed_from_video_id: source video id; returned by remix and status query',
      spend: 'all',
      request: { params: { video_id: from('a remix of the video', '/id') } },
      polling: { pointer: '/status', until: ended, succeeded: { pointer: '/status', is: ['completed'] } },
      expect: {
        status: [200],
        claims: [{ pointer: '/remixed_from_video_id', is: [from(finished, '/id')] }],
      },
    },
    unknownModel(
      'a video with an unknown model',
      createVideo,
      {
        form: [
          ['model', noModel],
          ['prompt', 'a sunset over the sea'],
        ],
        after: created,
      },
      { spend: 'all', setting: 'models.videos' },
    ),
  ],
}
