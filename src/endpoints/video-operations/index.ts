/** Long-running video operations: their endpoints, credentials and error format. */

import * as z from 'zod'
import { type Context, defineEndpoint, defineGroup } from '../../protocol/endpoint.ts'
import { ApiError, envelope } from '../../protocol/errors.ts'
import { heldFile } from '../../protocol/held-file.ts'
import { defaultHeaders } from '../../protocol/rate.ts'
import { file, type PlainResponse } from '../../protocol/response.ts'
import { clip, show } from '../../protocol/wording.ts'
import { operationsKind } from './kind.ts'
import { type Operation, type OperationView, viewOf } from './operation.ts'
import { fetchOperation, retrieveOperation } from './poll-operation.ts'
import { submitOperation, submitOperationInProject } from './submit-operation.ts'
import {
  countVideos,
  describeVideo,
  expectedVideos,
  fileIdOf,
  givenVideo,
  operationIdIn,
  videoFileName,
} from './wire.ts'

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
  act: (call, context) => serveVideoFile(call.params.file_id, call.now, 'file_id', context),
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
  act(call, context) {
    const fileId = fileIdIn(call.params.uri)
    if (fileId === undefined)
      throw new ApiError(
        'not_found_error',
        `Unknown file ${show(`http:/${call.params.uri}`)}: ` +
          'expected the `uri` of a video in an operation response.',
        { param: 'uri' },
      )
    return serveVideoFile(fileId, call.now, 'uri', context)
  },
})

// Without a query in the URL, the client appends a second `:download`.
const fileIdIn = (uri: string): string | undefined => /\/files\/([^/]+?)(?::download)+$/.exec(uri)?.[1]

/** `GET /media/operations/{operation_id}/{video}`: a video by its operation and index. */
const readOperationVideo = defineEndpoint({
  operation: 'videoOperations.readVideo',
  method: 'GET',
  path: '/media/operations/{operation_id}/{video}',
  summary: 'Download a video from an operation by index',
  extension: 'serves videos at a URL that contains the operation id',
  open: true,
  job: { concerns: { kind: operationsKind, id: ({ operation_id: id }) => id } },
  accepts: [],
  idsIn: { params: ['operation_id', 'video'] },
  act(call, context) {
    const { operation_id: id, video } = call.params
    return serveVideo(video, lookAt(id, call.now, context), videoFileName, 'video')
  },
})

/** The video with a file id. Throws a 404. */
function serveVideoFile(fileId: string, now: number, param: string, context: Context): PlainResponse {
  const id = operationIdIn(fileId)
  if (id === undefined)
    throw new ApiError(
      'not_found_error',
      `Unknown file ${show(fileId)} in the session "${context.sandbox.name}": expected the id in the ` +
        '`uri` of a video in an operation response.',
      { param },
    )
  return serveVideo(fileId, lookAt(id, now, context), fileIdOf, param)
}

const lookAt = (id: string, now: number, context: Context): OperationView =>
  viewOf(operationsKind.look(operationsKind.get(id, undefined, context), now, context))

/** The video named `name`. Throws a 404 that lists the current or future videos. */
function serveVideo(
  name: string,
  view: OperationView,
  nameOf: (found: Operation, sample: number) => string,
  param: string,
): PlainResponse {
  const { operation: found } = view
  const samples = view.state === 'SUCCEEDED' ? countVideos(found, view) : 0
  const sample = Array.from({ length: samples }, (_, place) => place).find(
    (place) => nameOf(found, place) === name,
  )
  const own = sample === undefined ? undefined : givenVideo(found, sample)
  if (own !== undefined) return heldFile(own, 'video.mp4')
  // Clients save downloads of many operations in one folder.
  if (sample !== undefined)
    return file(describeVideo(found, sample), { download: `${found.id}-${sample}.mp4` })
  const all = expectedVideos(found, view)
  let names = `its videos are ${nameOf(found, 0)} to ${nameOf(found, all - 1)}`
  if (all === 1) names = `its only video is ${nameOf(found, 0)}`
  if (all === 0) names = 'the operation has no videos'
  const when = view.state === 'SUCCEEDED' ? '' : ' once it has succeeded'
  throw new ApiError(
    'not_found_error',
    `The operation \`${found.id}\` has no video \`${clip(name, 100)}\`: its state is ${view.state}, ` +
      `${view.state === 'FAILED' ? 'a failed operation has no videos' : `${names}${when}`}.`,
    { param },
  )
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
    readOperationVideo,
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
