/** imageJobs.removeBackground: cuts the subject of a picture out (contract 4.1). One picture comes of it (wire-formats 7). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkPicture } from './named-picture.ts'
import { usualSize } from './pictures.ts'
import { imageJobReply, removeBackgroundBody } from './schema.ts'
import { submit } from './submit.ts'

export const removeBackground = defineEndpoint({
  operation: 'imageJobs.removeBackground',
  method: 'POST',
  path: '/v1/tob/remove-background',
  summary: 'Removes the background of a picture.',
  accepts: ['json'],
  body: removeBackgroundBody,
  reply: imageJobReply,
  act(call, context) {
    const { model, imgUrl } = call.body
    checkPicture(imgUrl, 'imgUrl', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'removeBackground', context.settings, 'model')
    return submit(call, context, { model, text: undefined, pictures: { ...usualSize, count: 1, transparent: true, seed: call.content.hex(32) } })
  },
})
