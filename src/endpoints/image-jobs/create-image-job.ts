/** imageJobs.create: a picture from a prompt. Its path and fields are the upstream's (wire-formats 7). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkModel } from './models.ts'
import { defaultSize, sizeIn } from './pictures.ts'
import { createBody, imageJobReply, promptIn } from './schema.ts'
import { imageJobsKind, samplePrompt } from './scripted.ts'
import { submit } from './submit.ts'

export const createImageJob = defineEndpoint({
  operation: 'imageJobs.create',
  method: 'POST',
  path: '/v1/tob/diffusion',
  summary: 'Submits an image job from a prompt.',
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({ model: 'image-job-v7', text: samplePrompt }),
  body: createBody,
  reply: imageJobReply,
  promptOf: promptIn,
  act(call, context) {
    const { model } = call.body
    // The schema sees to it that one of the two is there.
    const text = call.body.text ?? call.body.prompt
    checkModel(model, call.key, context.settings, 'model')
    return submit(call, context, {
      model,
      text,
      pictures: { size: sizeIn(text) ?? defaultSize, seed: call.content.hex(32) },
    })
  },
})
