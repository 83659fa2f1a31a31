/** The image jobs of contract section 4.1: submit, then poll by id. */
import { openaiError, openaiHeaders } from '../../behaviours/refusals/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { createImageJob } from './create-image-job.ts'
import { pan } from './pan.ts'
import { readJobImage } from './read-job-image.ts'
import { refusalCode } from './refusals.ts'
import { removeBackground } from './remove-background.ts'
import { retexture } from './retexture.ts'
import { retrieveImageJob } from './retrieve-image-job.ts'
import { uploadPaint } from './upload-paint.ts'
import { variation } from './variation.ts'

export const imageJobs = defineGroup({
  name: 'image-jobs',
  catalog: 'imageJobs',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [
    createImageJob,
    uploadPaint,
    retexture,
    pan,
    removeBackground,
    variation,
    retrieveImageJob,
    readJobImage,
  ],
  renderError: openaiError,
  refusalCode,
  rateLimited: 'Too many active image jobs: wait until one has finished',
  // Image jobs ask whether a model is enabled (contract section 7).
  unknownModel: () => ({ type: 'permission_error' }),
  replyHeaders: openaiHeaders,
})
