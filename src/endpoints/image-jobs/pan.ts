/** imageJobs.pan: extends an image of an earlier job in one direction (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { extendSize } from './job-images.ts'
import { imageJobReply, panBody, promptIn } from './schema.ts'
import { imageJobsKind, samplePrompt, sampleSource } from './scripted.ts'
import { drawingSeed, resolveSource } from './source-image.ts'
import { sourceJob } from './source-job.ts'
import { submitImageJob } from './submit.ts'

export const pan = defineEndpoint({
  operation: 'imageJobs.pan',
  method: 'POST',
  path: '/v1/tob/pan',
  summary: 'Extends an image of an earlier job in one direction.',
  accepts: ['json'],
  submits: imageJobsKind,
  concerns: { kind: imageJobsKind, id: (_, { jobId }) => jobId },
  sampleCall: () => ({ ...sampleSource, direction: 1, scale: 1.5, remixPrompt: samplePrompt }),
  body: panBody,
  reply: imageJobReply,
  // The result depends on the source image, not on the id of its job.
  contentIgnores: ['jobId'],
  idsIn: { body: ['jobId'] },
  promptOf: promptIn,
  act(call, context) {
    const { direction, scale, remixPrompt } = call.body
    const { source, address } = sourceJob(call, 'pan', context)
    const { model, text, images } = source.facts
    const start = resolveSource(address, context, call.now)
    const size = extendSize(start.size ?? images, direction, scale)
    return submitImageJob(call, context, {
      source,
      model,
      text: remixPrompt ?? text,
      images: {
        size,
        seed: drawingSeed(call.content, start),
        how: 'pan',
        from: { kind: 'extend', source: start.source, direction },
      },
    })
  },
})
