/** imageJobs.variation: varies an image of an earlier job (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { sizeInPrompt } from './job-images.ts'
import { imageJobReply, promptIn, variationBody } from './schema.ts'
import { imageJobsKind, samplePrompt, sampleSource } from './scripted.ts'
import { drawingSeed, resolveSource } from './source-image.ts'
import { sourceJob } from './source-job.ts'
import { submitImageJob } from './submit.ts'

export const variation = defineEndpoint({
  operation: 'imageJobs.variation',
  method: 'POST',
  path: '/v1/tob/variation',
  summary: 'Varies an image of an earlier job.',
  accepts: ['json'],
  submits: imageJobsKind,
  concerns: { kind: imageJobsKind, id: (_, { jobId }) => jobId },
  sampleCall: () => ({ ...sampleSource, type: 1, remixPrompt: samplePrompt }),
  body: variationBody,
  reply: imageJobReply,
  // The result depends on the source image, not on the id of its job.
  contentIgnores: ['jobId'],
  idsIn: { body: ['jobId'] },
  promptOf: promptIn,
  act(call, context) {
    const { remixPrompt, type } = call.body
    const { source, address } = sourceJob(call, 'variation', context)
    const { model, text, images } = source.facts
    const start = resolveSource(address, context, call.now)
    const size = sizeInPrompt(remixPrompt) ?? start.size ?? images
    return submitImageJob(call, context, {
      source,
      model,
      text: remixPrompt ?? text,
      images: {
        size,
        seed: drawingSeed(call.content, start),
        how: 'variation',
        from: { kind: 'vary', source: start.source, strength: type === 0 ? 'strong' : 'subtle' },
      },
    })
  },
})
