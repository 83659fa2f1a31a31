/** imageJobs.uploadPaint: repaints the masked part of a picture on a canvas (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkPicture } from './named-picture.ts'
import { bounded } from './pictures.ts'
import { imageJobReply, promptIn, uploadPaintBody } from './schema.ts'
import { submit } from './submit.ts'

export const uploadPaint = defineEndpoint({
  operation: 'imageJobs.uploadPaint',
  method: 'POST',
  path: '/v1/tob/upload-paint',
  summary: 'Edits a picture from its address, on a canvas.',
  accepts: ['json'],
  body: uploadPaintBody,
  reply: imageJobReply,
  promptOf: promptIn,
  act(call, context) {
    const { model, imgUrl, mask, canvas, remixPrompt } = call.body
    checkPicture(imgUrl, 'imgUrl', context)
    checkPicture(mask.url, 'mask.url', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'uploadPaint', context.settings, 'model')
    return submit(call, context, { model, text: remixPrompt, pictures: { ...bounded(canvas), count: 4, transparent: false, seed: call.content.hex(32) } })
  },
})
