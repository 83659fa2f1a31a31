/**
 * `GET /v1beta/files/{file_id}:download`: the video behind a result's `uri`. Needs no key; `?key=` is
 * ignored.
 */
import * as z from 'zod'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Reply } from '../../protocol/reply.ts'
import { show } from '../../protocol/wording.ts'
import { findOperation } from './operation.ts'
import { operationsKind } from './scripted.ts'
import { fileIdOf, operationIdIn, serveVideo } from './video-address.ts'

export const downloadVideo = defineEndpoint({
  operation: 'operations.downloadVideo',
  method: 'GET',
  path: '/v1beta/files/{file_id}:download',
  summary: 'Downloads a video that an operation has made',
  extension: 'the result uris lead here, as those of the Gemini API do',
  open: true,
  concerns: { kind: operationsKind, id: ({ file_id: id = '' }) => operationIdIn(id) },
  accepts: [],
  query: z.looseObject({
    alt: z
      .string()
      .optional()
      .describe('`media`, as in the `uri`; the reply is the video with or without it.'),
  }),
  idsIn: { params: ['file_id'] },
  act: (call, context) => serveVideoFile(call.params.file_id, call.now, 'file_id', context),
})

/** The video with a file id. Throws 404. */
export function serveVideoFile(fileId: string, now: number, param: string, context: Context): Reply {
  const id = operationIdIn(fileId)
  if (id === undefined)
    throw new ApiError(
      'not_found_error',
      [
        `There is no file ${show(fileId)} in the session "${context.world.name}": expected the id in a`,
        `\`uri\` that an operation has answered there. Only videos of operations are files here.`,
      ].join(' '),
      { param },
    )
  return serveVideo(
    fileId,
    findOperation(id, undefined, context),
    { now, world: context.world },
    fileIdOf,
    param,
  )
}
