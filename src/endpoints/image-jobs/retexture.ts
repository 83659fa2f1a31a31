/** imageJobs.retexture: redraws a picture from a new prompt (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkPicture } from './named-picture.ts'
import { sizeIn, usualSize } from './pictures.ts'
import { imageJobReply, promptIn, retextureBody } from './schema.ts'
import { submit } from './submit.ts'

export const retexture = defineEndpoint({
  operation: 'imageJobs.retexture',
  method: 'POST',
  path: '/v1/tob/retexture',
  summary: 'Redraws a picture from a new prompt.',
  accepts: ['json'],
  body: retextureBody,
  reply: imageJobReply,
  promptOf: promptIn,
  act(call, context) {
    const { model, imgUrl, remixPrompt } = call.body
    checkPicture(imgUrl, 'imgUrl', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'retexture', context.settings, 'model')
    return submit(call, context, { model, text: remixPrompt, pictures: { ...(sizeIn(remixPrompt) ?? usualSize), count: 4, transparent: false, seed: call.content.hex(32) } })
  },
})
