/**
 * `GET /v1beta/files/http://…/v1beta/files/{file_id}:download`: what the Google clients request for a
 * `uri` that does not begin with `https:`. They extract the id from https addresses only, and a simulator on
 * a laptop has none.
 */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'
import { serveVideoFile } from './download-video.ts'
import { operationsKind } from './scripted.ts'
import { operationIdIn } from './video-address.ts'

export const downloadVideoByUri = defineEndpoint({
  operation: 'operations.downloadVideoByUri',
  method: 'GET',
  path: '/v1beta/files/http:/{uri}',
  tail: true,
  summary: 'Downloads a video by its whole address, as Google clients do when it is not https',
  extension: '@google/genai sends this for an http: uri',
  open: true,
  concerns: { kind: operationsKind, id: ({ uri = '' }) => operationIdIn(fileIdIn(uri) ?? '') },
  accepts: [],
  idsIn: { params: ['uri'] },
  act(call, context) {
    const fileId = fileIdIn(call.params.uri)
    if (fileId === undefined)
      throw new ApiError(
        'not_found_error',
        [
          `There is no file ${show(`http:/${call.params.uri}`)}: expected the \`uri\` of a video that an`,
          'operation has answered.',
        ].join(' '),
        { param: 'uri' },
      )
    return serveVideoFile(fileId, call.now, 'uri', context)
  },
})

// Without a query in the address, the client appends a second `:download`.
const fileIdIn = (uri: string): string | undefined => /\/files\/([^/]+?)(?::download)+$/.exec(uri)?.[1]
