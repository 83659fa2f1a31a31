/** Notes of the document on videos. */
import type { GroupNotes, Made } from '../notes.ts'

const submission = { model: 'sora-2', prompt: 'a sunset over the sea', seconds: '4', size: '1280x720' }
const idOf = async (made: Made, model = submission.model): Promise<string> =>
  String((await made('videos.create', { json: { ...submission, model } }))['id'])
const list = 'the upstream video API'

export const videosNotes: GroupNotes = {
  title: 'Videos',
  description: 'Short videos: submit, poll the status, then download.',
  params: { video_id: 'The id of the video.' },
  operations: {
    'videos.create': {
      source: 'the contract; `seconds`, `size` and required fields: the upstream video API',
      description:
        'The response is the current video object; poll `GET /v1/videos/{video_id}`. The contract ' +
        'documents forms; JSON is also accepted.',
      calls: () => [
        { name: 'json', summary: 'A video from a prompt', json: submission },
        {
          name: 'form',
          summary: 'A video from a form',
          form: Object.entries(submission).map(([name, value]) => ({ name, value })),
        },
        { name: 'size', summary: 'An unsupported size', json: { ...submission, size: '640x480' } },
      ],
    },
    'videos.retrieve': {
      source: 'the contract',
      async calls(made) {
        const params = { video_id: await idOf(made) }
        return [
          { name: 'pending', summary: 'A pending video', params },
          { name: 'in_progress', summary: 'A video in progress', params },
          {
            name: 'completed',
            summary: 'A completed video',
            params: { video_id: await idOf(made, 'sim-finished') },
          },
          {
            name: 'failed',
            summary: 'A failed video',
            params: { video_id: await idOf(made, 'sim-fail-at-0') },
          },
        ]
      },
    },
    'videos.content': {
      source: 'the contract; media types, `variant` and ranges: the upstream video API',
      description:
        'Returns the file of a completed video; `variant` selects its thumbnail or spritesheet. `range` is ' +
        'supported.',
      async calls(made) {
        const params = { video_id: await idOf(made, 'sim-finished') }
        return [
          { name: 'video', summary: 'The video', params },
          { name: 'thumbnail', summary: 'The thumbnail', params, query: { variant: 'thumbnail' } },
          {
            name: 'not-ready',
            summary: 'A video that is not completed yet',
            params: { video_id: await idOf(made) },
          },
        ]
      },
    },
    'videos.remix': {
      source: 'the contract; `model` is optional because clients omit it',
      description: 'Changes a completed video but keeps its structure and composition.',
      async calls(made) {
        const params = { video_id: await idOf(made, 'sim-finished') }
        return [
          {
            name: 'submitted',
            summary: 'A video at a different time of day',
            params,
            json: { model: 'sora-2', prompt: 'the same at dawn' },
          },
          {
            name: 'unfinished-source',
            summary: 'A source video that is not completed',
            params: { video_id: await idOf(made) },
            json: { model: 'sora-2', prompt: 'the same at dawn' },
          },
        ]
      },
    },
    'videos.list': {
      source: list,
      async calls(made) {
        await idOf(made)
        await idOf(made, 'sim-finished')
        return [{ name: 'page', summary: 'The first page', query: { limit: '2', order: 'desc' } }]
      },
    },
    'videos.delete': {
      source: list,
      calls: async (made) => [
        {
          name: 'deleted',
          summary: 'A completed video',
          params: { video_id: await idOf(made, 'sim-finished') },
        },
      ],
    },
  },
  names: {
    'videos.create body': 'VideoRequest',
    'videos.create form': 'VideoForm',
    'videos.create body.input_reference': 'ImageReference',
    'videos.create response': 'SubmittedVideo',
    'videos.create response.error': 'VideoError',
    'videos.retrieve response': 'Video',
    'videos.remix body': 'VideoRemixRequest',
    'videos.remix response': 'RemixedVideo',
    'videos.list response': 'VideoList',
    'videos.delete response': 'DeletedVideo',
  },
  fields: {
    ...Object.fromEntries(
      ['SubmittedVideo', 'RemixedVideo', 'Video'].flatMap((name) => [
        [`${name}.id`, 'The id of the video.'],
        [`${name}.object`, 'The type of the object.'],
        [`${name}.model`, 'The model.'],
        [`${name}.status`, 'The status; `completed` and `failed` are final.'],
        [`${name}.progress`, 'The progress in percent.'],
        [`${name}.seconds`, 'The duration in seconds.'],
        [`${name}.size`, 'Width x height in pixels.'],
        [`${name}.error`, 'The reason for a failure, otherwise null.'],
        ...(name === 'SubmittedVideo' ? [] : [[`${name}.remixed_from_video_id`, 'The source video.']]),
      ]),
    ),
    SubmittedVideo: 'A submitted video.',
    RemixedVideo: 'A submitted remix.',
    Video: 'The current state of a video.',
    'VideoList.object': 'The type of the object.',
    'VideoList.data': 'The videos on this page.',
    'VideoList.first_id': 'The first id on this page; null if the page is empty.',
    'VideoList.last_id': 'The last id on this page, for `after`; null if the page is empty.',
    'VideoList.has_more': 'Whether there are more pages.',
    'DeletedVideo.id': 'The id of the deleted video.',
    'DeletedVideo.object': 'The type of the object.',
    'DeletedVideo.deleted': 'Always true.',
  },
}
