/** imageJobs.retexture: redraws a picture from a new prompt (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkPicture } from './named-picture.ts'
import { defaultSize, sizeIn } from './pictures.ts'
import { imageJobReply, promptIn, retextureBody } from './schema.ts'
import { imageJobsKind, sampleImage, samplePrompt } from './scripted.ts'
import { seedFrom, startFrom } from './source-picture.ts'
import { submit } from './submit.ts'

export const retexture = defineEndpoint({
  operation: 'imageJobs.retexture',
  method: 'POST',
  path: '/v1/tob/retexture',
  summary: 'Redraws a picture from a new prompt.',
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({ model: 'image-job-v7', imgUrl: sampleImage, remixPrompt: samplePrompt }),
  body: retextureBody,
  reply: imageJobReply,
  // What is drawn follows from the source's picture, not from its address.
  contentIgnores: ['imgUrl'],
  promptOf: promptIn,
  act(call, context) {
    const { model, imgUrl, remixPrompt } = call.body
    checkPicture(imgUrl, 'imgUrl', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'retexture', context.settings, 'model')
    const start = startFrom(imgUrl, context, call.now)
    return submit(call, context, {
      model,
      text: remixPrompt,
      pictures: {
        size: sizeIn(remixPrompt) ?? start.size ?? defaultSize,
        seed: seedFrom(call.content, start),
        how: 'retexture',
        from: { kind: 'recolour', source: start.source },
      },
    })
  },
})
