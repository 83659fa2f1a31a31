/** GET /v1/videos: the videos of a key, page by page. The upstream has it, the contract does not. */
import { markOffContract, poll } from '../../behaviours/jobs/job.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { json } from '../../protocol/reply.ts'
import { listQuery, videoList } from './schema.ts'
import { videosKind } from './scripted.ts'
import { isGone, listVideosOf, snapshotOf } from './video.ts'
import { statusFields } from './video-object.ts'

export const listVideos = defineEndpoint({
  operation: 'videos.list',
  method: 'GET',
  path: '/v1/videos',
  summary: 'Lists the videos of the API key',
  extension: 'clients of this family call it (wire-formats section 5)',
  accepts: [],
  lists: videosKind,
  query: listQuery,
  reply: videoList,
  act(call, context) {
    const { after, limit, order } = call.query
    const videos = listVideosOf(call.key, call.now, context)
    if (order === 'desc') videos.reverse()
    const from = after === undefined ? 0 : videos.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0) {
      throw new ApiError(
        'invalid_request_error',
        [
          `\`after\`: expected the id of one of the ${videos.length} videos of this API key in the`,
          `session "${context.world.name}", got ${JSON.stringify(after.slice(0, 80))}.`,
        ].join(' '),
        { param: 'after' },
      )
    }
    // Listing a video polls it: otherwise a client that only lists would wait for ever in `auto`.
    const page = videos.slice(from, from + limit)
    for (const video of page) poll(video, context.world, call.now)
    const present = page.filter((video) => !isGone(video, call.now))
    const data = present.map((video) => statusFields(snapshotOf(video, call.now, context.settings)))
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
