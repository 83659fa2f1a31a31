/** Long-running video operations: their endpoints, credentials and error format. */

import * as z from 'zod'
import { type Context, defineEndpoint, defineGroup } from '../../protocol/endpoint.ts'
import { ApiError, envelope } from '../../protocol/errors.ts'
import { defaultHeaders } from '../../protocol/rate.ts'
import { file, type PlainResponse } from '../../protocol/response.ts'
import { show } from '../../protocol/wording.ts'
import { operationsKind } from './kind.ts'
import { countVideos, describeVideo, fileIdOf, operationIdIn, viewOf } from './operation.ts'
import { fetchOperation, retrieveOperation } from './poll-operation.ts'
import { submitOperation, submitOperationInProject } from './submit-operation.ts'

/** `GET /v1beta/files/{file_id}:download`: the video behind a result's `uri`. */
const downloadVideo = defineEndpoint({
  operation: 'videoOperations.downloadVideo',
  method: 'GET',
  path: '/v1beta/files/{file_id}:download',
  summary: 'Download a video from an operation',
  extension: 'serves the videos at `uri`, as the Gemini API does',
  open: true,
  job: { concerns: { kind: operationsKind, id: ({ file_id: id = '' }) => operationIdIn(id) } },
  accepts: [],
  query: () =>
    z.looseObject({
      alt: z.string().optional().describe('Always `media`, as in the `uri` of each video. Has no effect.'),
    }),
  idsIn: { params: ['file_id'] },
  act: (call, context) => serveVideo(call.params.file_id, 'file_id', call.now, context),
})

/**
 * `GET /v1beta/files/http://…/v1beta/files/{file_id}:download`: what the Google clients request for a
 * `uri` that does not begin with `https:`. They extract the id from https URLs only, and a simulator on
 * a laptop has none.
 */
const downloadVideoByUri = defineEndpoint({
  operation: 'videoOperations.downloadVideoByUri',
  method: 'GET',
  path: '/v1beta/files/http:/{uri}',
  tail: true,
  summary: 'Download a video by its full URL',
  extension: '@google/genai downloads `http:` URLs this way',
  open: true,
  job: { concerns: { kind: operationsKind, id: ({ uri = '' }) => operationIdIn(fileIdIn(uri) ?? '') } },
  accepts: [],
  idsIn: { params: ['uri'] },
  act: (call, context) =>
    serveVideo(fileIdIn(call.params.uri) ?? `http:/${call.params.uri}`, 'uri', call.now, context),
})

// Without a query in the URL, the client appends a second `:download`.
const fileIdIn = (uri: string): string | undefined => /\/files\/([^/]+?)(?::download)+$/.exec(uri)?.[1]

/** The video with a file id. Throws a 404 that says how many videos the operation has now. */
function serveVideo(fileId: string, param: string, now: number, context: Context): PlainResponse {
  const id = operationIdIn(fileId)
  const expected = 'expected the id in the `uri` of a video in an operation response'
  if (id === undefined)
    throw new ApiError(
      'not_found_error',
      `Unknown file ${show(fileId)} in the session "${context.sandbox.name}": ${expected}.`,
      { param },
    )
  const view = viewOf(operationsKind.look(id, undefined, { now }, context))
  const { operation, state } = view
  const count = countVideos(view)
  const sample = Array.from({ length: count }, (_, place) => fileIdOf(operation, place)).indexOf(fileId)
  if (sample < 0)
    throw new ApiError(
      'not_found_error',
      `Unknown file ${show(fileId)}: ${expected}. The state of the operation \`${id}\` is ${state}; it ` +
        `has these videos: ${count === 0 ? 'none' : `0 to ${count - 1}`}.`,
      { param },
    )
  // Clients save downloads of many operations in one folder.
  return file(describeVideo(operation, sample), { download: `${id}-${sample}.mp4` })
}

// Google clients read `status` next to the numeric code.
const words: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export const videoOperations = defineGroup({
  name: 'video-operations',
  catalog: 'videoOperations',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }, { header: 'x-goog-api-key' }],
  under: '/v1beta',
  endpoints: [
    submitOperation,
    retrieveOperation,
    submitOperationInProject,
    fetchOperation,
    downloadVideo,
    downloadVideoByUri,
  ],
  renderError(error: ApiError, ids) {
    const { error: body } = envelope(error, ids.traceId)
    const named = error.options.jobId === undefined ? {} : { operation_id: error.options.jobId }
    return {
      body: {
        error: {
          ...body,
          status: words[error.status] ?? (error.status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
          ...named,
        },
      },
    }
  },
  responseHeaders(facts) {
    const headers = defaultHeaders(facts)
    headers['x-request-id'] = facts.requestId
    return headers
  },
})
