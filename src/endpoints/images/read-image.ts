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
import { file } from '../../protocol/response.ts'
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
    if (now >= expiresAt)
      throw new ApiError(
        'permission_error',
        `The URL of this image expired at ${new Date(expiresAt).toUTCString()}: download it within ` +
          `${formatDuration(imageUrlLifetime)} of the response that contained it.`,
      )
    return file(describeImage(images, index), {
      download: `${imageId}-${index}.${images.format}`,
    })
  },
})

const missing = (param: string, message: string): ApiError =>
  new ApiError('not_found_error', message, { param })
