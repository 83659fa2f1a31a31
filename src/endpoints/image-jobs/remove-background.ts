/**
 * imageJobs.removeBackground: cuts out the subject of an image (contract 4.1). The result is one image
 * (wire-formats 7).
 */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { defaultSize } from './job-images.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkImageName } from './named-image.ts'
import { imageJobReply, removeBackgroundBody } from './schema.ts'
import { imageJobsKind, sampleImage } from './scripted.ts'
import { drawingSeed, resolveSource } from './source-image.ts'
import { submitImageJob } from './submit.ts'

export const removeBackground = defineEndpoint({
  operation: 'imageJobs.removeBackground',
  method: 'POST',
  path: '/v1/tob/remove-background',
  summary: 'Removes the background of an image.',
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({ model: 'image-job-v7', imgUrl: sampleImage }),
  body: removeBackgroundBody,
  reply: imageJobReply,
  // The result depends on the source image, not on its address.
  contentIgnores: ['imgUrl'],
  act(call, context) {
    const { model, imgUrl } = call.body
    checkImageName(imgUrl, 'imgUrl', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'removeBackground', context.settings, 'model')
    const start = resolveSource(imgUrl, context, call.now)
    return submitImageJob(call, context, {
      model,
      text: undefined,
      images: {
        size: start.size ?? defaultSize,
        count: 1,
        transparent: true,
        seed: drawingSeed(call.content, start),
        how: 'remove-background',
        from: { kind: 'cut-out', source: start.source },
      },
    })
  },
})
