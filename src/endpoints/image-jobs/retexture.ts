/** imageJobs.retexture: redraws an image from a new prompt (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { defaultSize, sizeInPrompt } from './job-images.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkImageName } from './named-image.ts'
import { imageJobReply, promptIn, retextureBody } from './schema.ts'
import { imageJobsKind, sampleImage, samplePrompt } from './scripted.ts'
import { drawingSeed, resolveSource } from './source-image.ts'
import { submitImageJob } from './submit.ts'

export const retexture = defineEndpoint({
  operation: 'imageJobs.retexture',
  method: 'POST',
  path: '/v1/tob/retexture',
  summary: 'Redraws an image from a new prompt.',
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({ model: 'image-job-v7', imgUrl: sampleImage, remixPrompt: samplePrompt }),
  body: retextureBody,
  reply: imageJobReply,
  // The result depends on the source image, not on its address.
  contentIgnores: ['imgUrl'],
  promptOf: promptIn,
  act(call, context) {
    const { model, imgUrl, remixPrompt } = call.body
    checkImageName(imgUrl, 'imgUrl', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'retexture', context.settings, 'model')
    const start = resolveSource(imgUrl, context, call.now)
    return submitImageJob(call, context, {
      model,
      text: remixPrompt,
      images: {
        size: sizeInPrompt(remixPrompt) ?? start.size ?? defaultSize,
        seed: drawingSeed(call.content, start),
        how: 'retexture',
        from: { kind: 'recolour', source: start.source },
      },
    })
  },
})
