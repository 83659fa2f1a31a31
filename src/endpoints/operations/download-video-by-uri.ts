/**
 * `GET /v1beta/files/http://…/v1beta/files/{file_id}:download`: what the Google clients make of a result's
 * `uri` that does not begin with `https:`. They take the id out of a secure address alone, and a simulator on
 * a laptop has none.
 */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'
import { serveVideoFile } from './download-video.ts'

export const downloadVideoByUri = defineEndpoint({
  operation: 'operations.downloadVideoByUri',
  method: 'GET',
  path: '/v1beta/files/http:/{uri}',
  tail: true,
  summary: 'Downloads a video by its whole address, as Google clients ask for one that is not https',
  extension: '@google/genai asks so for an http: uri',
  open: true,
  accepts: [],
  idsIn: { params: ['uri'] },
  act(call, context) {
    // Of an address without a query, the client's own `:download` comes behind that of the address.
    const fileId = /\/files\/([^/]+?)(?::download)+$/.exec(call.params.uri)?.[1]
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
