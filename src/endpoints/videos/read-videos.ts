/** Retrieves, lists, downloads and deletes videos. */

import { captionPrompt } from '../../behaviours/image-series.ts'
import { isOwnedBy, localNow, markOffContract, poll } from '../../behaviours/jobs/job.ts'
import { formatDuration } from '../../engine/duration.ts'
import { stateOf } from '../../engine/resource.ts'
import { type Context, defineEndpoint, type JobUse } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Media } from '../../protocol/media.ts'
import { file, json } from '../../protocol/response.ts'
import { videosKind } from './kind.ts'
import { contentQuery, deletedVideo, listQuery, videoList, videoStatus } from './schema.ts'
import {
  downloadPeriod,
  shownFacts,
  statusFields,
  type Video,
  type VideoFacts,
  type VideoView,
  viewOf,
} from './video.ts'

/** The video in the path. */
const named: JobUse = {
  about: videosKind,
  concerns: { kind: videosKind, id: ({ video_id: id }) => id },
}

/** GET /v1/videos/{video_id}. */
export const retrieveVideo = defineEndpoint({
  operation: 'videos.retrieve',
  method: 'GET',
  path: '/v1/videos/{video_id}',
  summary: 'Retrieve a video',
  accepts: [],
  job: { ...named, polls: { kind: videosKind } },
  response: videoStatus,
  idsIn: { params: ['video_id'] },
  act(call, context) {
    const video = videosKind.get(call.params.video_id, call.key.value, context)
    return videosKind.respond(video, call.now, context)
  },
})

/** GET /v1/videos: the videos of a key, page by page. The upstream has it, the contract does not. */
export const listVideos = defineEndpoint({
  operation: 'videos.list',
  method: 'GET',
  path: '/v1/videos',
  summary: 'List videos',
  extension: 'OpenAI clients use this endpoint',
  accepts: [],
  job: { lists: videosKind },
  query: listQuery,
  response: videoList,
  act(call, context) {
    const { after, limit, order } = call.query
    const exists = (video: Video): boolean => !stateOf(video, call.now).notFound
    const videos = context.sandbox.store
      .list<VideoFacts>(videosKind.resource)
      .filter((video) => isOwnedBy(video, call.key.value) && exists(video))
      .sort((a, b) => a.bornAt - b.bornAt)
    if (order === 'desc') videos.reverse()
    const from = after === undefined ? 0 : videos.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0) {
      throw new ApiError(
        'invalid_request_error',
        `\`after\`: expected the id of a video of this API key in the ` +
          `session "${context.sandbox.name}", got ${JSON.stringify(after.slice(0, 80))}.`,
        { param: 'after' },
      )
    }
    // Listing a video polls it: otherwise a client that only lists would wait forever with the `auto` clock.
    const page = videos.slice(from, from + limit)
    for (const video of page) poll(video, context.sandbox, call.now)
    const present = page.filter(exists)
    const data = present.map((video) => statusFields(viewOf({ job: video, ...stateOf(video, call.now) })))
    return markOffContract(
      json({
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: from + limit < videos.length,
      }),
      ...present,
    )
  },
})

/** DELETE /v1/videos/{video_id}: a finished video. The upstream has it, the contract does not. */
export const deleteVideo = defineEndpoint({
  operation: 'videos.delete',
  method: 'DELETE',
  path: '/v1/videos/{video_id}',
  summary: 'Delete a video',
  extension: 'OpenAI clients use this endpoint',
  accepts: [],
  job: named,
  response: deletedVideo,
  idsIn: { params: ['video_id'] },
  act(call, context) {
    const { video, status, progress } = viewOf(
      videosKind.look(call.params.video_id, call.key.value, call, context),
    )
    if (status !== 'completed' && status !== 'failed') {
      throw new ApiError(
        'invalid_request_error',
        `Only a completed or failed video can be deleted: \`${video.id}\` is ${status} ` +
          `(progress: ${progress}).`,
        { param: 'video_id' },
      )
    }
    context.sandbox.store.remove(videosKind.resource, video.id)
    return json({ id: video.id, object: 'video.deleted', deleted: true })
  },
})

/** GET /v1/videos/{video_id}/content: the files of a completed video. */
export const videoContent = defineEndpoint({
  operation: 'videos.content',
  method: 'GET',
  path: '/v1/videos/{video_id}/content',
  summary: 'Download a video, its thumbnail or its spritesheet',
  accepts: [],
  job: named,
  expires: true,
  query: contentQuery,
  idsIn: { params: ['video_id'] },
  act(call, context) {
    let view = viewOf(videosKind.look(call.params.video_id, call.key.value, call, context))
    const { video } = view
    // Repeated downloads are polls too: otherwise the `auto` clock would never complete the video.
    if (view.status !== 'completed') view = viewOf(videosKind.poll(video, call.now, context))
    rejectUnready(view)
    rejectExpired(view, localNow(video, call.now))
    const { variant } = call.query
    return file(describeVariant(shownFacts(view), variant, context), {
      download: `${video.id}${suffixes[variant]}`,
    })
  },
})

// 400, not 409: clients retry a 409 by themselves, and it would never succeed in their few seconds.
function rejectUnready({ video, status, progress, error }: VideoView): void {
  if (status === 'completed') return
  const message =
    status === 'failed'
      ? `The video \`${video.id}\` has no content because it ` +
        `failed${error === null ? '.' : `: ${error.code}, ${error.message}`}`
      : `The video \`${video.id}\` has no content yet: its status is ${status} (progress: ` +
        `${progress}). Poll GET /v1/videos/${video.id} until the status is completed.`
  throw new ApiError('invalid_request_error', message, { param: 'video_id' })
}

function rejectExpired({ video, expiresAt }: VideoView, now: number): void {
  if (expiresAt === undefined || now < expiresAt) return
  throw new ApiError(
    'not_found_error',
    `The content of the video \`${video.id}\` expired at ${new Date(expiresAt).toISOString()}, and the ` +
      `current time is ${new Date(now).toISOString()}: download within ${formatDuration(downloadPeriod)} ` +
      'of completion.',
    { param: 'video_id' },
  )
}

// The names that browsers save the files under.
const suffixes = { video: '.mp4', thumbnail: '-thumbnail.webp', spritesheet: '-spritesheet.jpg' } as const

// WebP and JPEG as upstream.
function describeVariant(
  facts: VideoFacts,
  variant: 'video' | 'thumbnail' | 'spritesheet',
  { sandbox }: Context,
): Media {
  const [width = 0, height = 0] = facts.size.split('x').map(Number)
  const { model, size, seconds, seed, reference } = facts
  const from = reference === undefined ? [] : [`from ${reference}`]
  const shown = [model, ...from, size.replace('x', ' x '), `${seconds} s`]
  const prompt = captionPrompt(facts.prompt, sandbox)
  switch (variant) {
    case 'video': {
      const label = [`${model}, ${size}, ${seconds} s`, ...from].join(', ')
      return { kind: 'video', width, height, seconds: Number(seconds), seed, label }
    }
    case 'thumbnail': {
      const caption = { prompt, facts: shown }
      return { kind: 'image', width, height, format: 'webp', transparent: false, seed, caption }
    }
    case 'spritesheet': {
      const caption = { prompt, facts: [...shown, 'spritesheet'] }
      const image = { kind: 'image', format: 'jpeg', transparent: false, seed, caption } as const
      return { ...image, width, height: (height * 3) / 4 }
    }
  }
}
