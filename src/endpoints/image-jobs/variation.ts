/** imageJobs.variation: varies a picture of an earlier job (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { pictureSeed, sizeIn } from './pictures.ts'
import { imageJobReply, promptIn, variationBody } from './schema.ts'
import { sourceJob } from './source-job.ts'
import { submit } from './submit.ts'

export const variation = defineEndpoint({
  operation: 'imageJobs.variation',
  method: 'POST',
  path: '/v1/tob/variation',
  summary: 'Varies a picture of an earlier job.',
  accepts: ['json'],
  body: variationBody,
  reply: imageJobReply,
  // What is drawn follows from the source's picture, not from the name of its job.
  contentIgnores: ['jobId'],
  idsIn: { body: ['jobId'] },
  promptOf: promptIn,
  act(call, context) {
    const { imageNo, remixPrompt } = call.body
    const source = sourceJob(call, 'variation', context)
    const { model, text, pictures } = source.facts
    const { width, height } = sizeIn(remixPrompt) ?? pictures
    const seed = `${pictureSeed(pictures, imageNo)} ${call.content.hex(32)}`
    return submit(call, context, { source, model, text: remixPrompt ?? text, pictures: { width, height, count: 4, transparent: false, seed } })
  },
})
