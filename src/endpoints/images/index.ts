/** The images API: its operations, credentials and error format. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { editImage } from './edit-image.ts'
import { generateImage } from './generate-image.ts'
import { readImage } from './read-image.ts'

export const images = defineGroup({
  name: 'images',
  catalog: 'images',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [generateImage, editImage, readImage],
  renderError: openaiError,
  responseHeaders: openaiHeaders,
  // A stream of this API family reports an error as an event with a truthy `error`.
  streamError: (error, ids) => ({
    event: 'error',
    data: JSON.stringify({ type: 'error', ...(openaiError(error, ids).body as object) }),
  }),
})
