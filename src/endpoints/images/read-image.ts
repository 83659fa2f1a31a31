/** images.readImage: one image by its URL, without an API key, for 60 minutes. */

import { imageIndex } from '../../behaviours/image-jobs.ts'
import {
  describeImage,
  type ImageSeriesFacts,
  imagesKind,
  imageUrlLifetime,
} from '../../behaviours/image-series.ts'
import { formatDuration } from '../../engine/duration.ts'
import { evictedClause } from '../../engine/sandbox.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { file, type PlainResponse } from '../../protocol/response.ts'
import { show } from '../../protocol/wording.ts'

export const readImage = defineEndpoint({
  operation: 'images.readImage',
  method: 'GET',
  path: '/media/images/{imageId}/{image}',
  summary: 'Download a generated image',
  extension: 'serves the image URLs in `data[].url`',
  open: true,
  accepts: [],
  expires: true,
  idsIn: { params: ['imageId'] },
  act({ params: { imageId, image }, now }, { sandbox }) {
    const found = sandbox.store.find<ImageSeriesFacts>(imagesKind, imageId)
    if (found === undefined)
      throw missing(
        'imageId',
        `Unknown image id ${show(imageId)} in the session "${sandbox.name}": expected an image URL from a ` +
          `response in that session${evictedClause(sandbox)}.`,
      )
    const { facts, bornAt } = found
    const { images } = facts
    const index = imageIndex(image, facts)
    if (index === undefined)
      throw missing(
        'image',
        `The id ${show(imageId)} has no image ${show(image)}: expected 0.${images.format}` +
          (images.count === 1 ? '.' : ` to ${images.count - 1}.${images.format}.`),
      )
    const expiresAt = bornAt + imageUrlLifetime
    if (now >= expiresAt) return expired(expiresAt, now, imageUrlLifetime)
    return file(describeImage(images, index), {
      download: `${imageId}-${index}.${images.format}`,
    })
  },
})

const missing = (param: string, message: string): ApiError =>
  new ApiError('not_found_error', message, { param })

// This response imitates an object store rather than the gateway: XML, with the timestamps for which the
// signature was valid.
function expired(expiresAt: number, now: number, after: number): PlainResponse {
  const at = (timestamp: number): string => new Date(timestamp).toUTCString()
  const detail = `Signed expiry time [${at(expiresAt)}] has to be after the current time [${at(now)}]`
  const text =
    '<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code><Message>The URL ' +
    `of this image has expired: download it within ${formatDuration(after)} of the response that ` +
    'contained it.</Message>' +
    `<AuthenticationErrorDetail>${detail}</AuthenticationErrorDetail></Error>`
  return { status: 403, headers: { 'content-type': 'application/xml' }, body: { kind: 'text', text } }
}
