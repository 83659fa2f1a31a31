/** Retrieves, lists and downloads videos. */

import { isOwnedBy, localNow, markOffContract, poll } from '../../behaviours/jobs/job.ts'
import { formatDuration } from '../../engine/duration.ts'
import { stateOf } from '../../engine/resource.ts'
import { defineEndpoint, type JobUse } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { heldFile } from '../../protocol/held-file.ts'
import type { Media } from '../../protocol/media.ts'
import { file, json } from '../../protocol/response.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import { videosKind } from './kind.ts'
import { contentQuery, listQuery, videoList, videoStatus } from './schema.ts'
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
  job: { ...named, polls: videosKind },
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

/** GET /v1/videos/{video_id}/content: the file of a completed video. */
export const videoContent = defineEndpoint({
  operation: 'videos.content',
  method: 'GET',
  path: '/v1/videos/{video_id}/content',
  summary: 'Download a video',
  accepts: [],
  job: named,
  expires: true,
  query: contentQuery,
  idsIn: { params: ['video_id'] },
  act(call, context) {
    const { variant = 'video' } = call.query
    // Here and not in the schema, so that a rule can send another file.
    if (variant !== 'video')
      throw invalid([{ field: 'variant', message: `expected "video", got ${show(variant)}` }], undefined)
    let view = viewOf(videosKind.look(call.params.video_id, call.key.value, call, context))
    const { video } = view
    // Repeated downloads are polls too: otherwise the `auto` clock would never complete the video.
    if (view.status !== 'completed') view = viewOf(videosKind.poll(video, call.now, context))
    rejectUnready(view)
    rejectExpired(view, localNow(video, call.now))
    const { content } = video.facts
    if (content !== undefined) return heldFile(content, 'video.mp4')
    return file(describeFilm(shownFacts(view)), { download: `${video.id}.mp4` })
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

function describeFilm({ model, size, seconds, seed, reference }: VideoFacts): Media {
  const [width = 0, height = 0] = size.split('x').map(Number)
  const label = [`${model}, ${size}, ${seconds} s`, ...(reference === undefined ? [] : [`from ${reference}`])]
  return { kind: 'video', width, height, seconds: Number(seconds), seed, label: label.join(', ') }
}
