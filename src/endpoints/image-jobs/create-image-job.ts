/** imageJobs.create: images from a prompt. Path and fields are those of the upstream (wire-formats 7). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { defaultSize, sizeInPrompt } from './job-images.ts'
import { checkModel } from './models.ts'
import { createBody, imageJobReply, promptIn } from './schema.ts'
import { imageJobsKind, samplePrompt } from './scripted.ts'
import { submitImageJob } from './submit.ts'

export const createImageJob = defineEndpoint({
  operation: 'imageJobs.create',
  method: 'POST',
  path: '/v1/tob/diffusion',
  summary: 'Submits an image job from a prompt.',
  inferred: "the contract refers to it without its path and fields, which are the upstream's here",
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({ model: 'image-job-v7', text: samplePrompt }),
  body: createBody,
  reply: imageJobReply,
  promptOf: promptIn,
  act(call, context) {
    const { model } = call.body
    // The schema requires one of the two.
    const text = call.body.text ?? call.body.prompt
    checkModel(model, call.key, context.settings, 'model')
    return submitImageJob(call, context, {
      model,
      text,
      images: { size: sizeInPrompt(text) ?? defaultSize, seed: call.content.hex(32) },
    })
  },
})
