/** Image jobs: submit, then poll by id. */
import { openaiError, openaiHeaders } from '../../behaviours/rejections/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { createImageJob, pan, removeBackground, retexture, uploadPaint, variation } from './edits.ts'
import { rejectionCode } from './image-job.ts'
import { readJobImage, retrieveImageJob } from './read.ts'

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
  rejectionCode,
  rateLimited: 'Too many active image jobs: wait until a job finishes',
  // Image jobs check whether a model is enabled.
  unknownModel: () => ({ type: 'permission_error' }),
  responseHeaders: openaiHeaders,
})
