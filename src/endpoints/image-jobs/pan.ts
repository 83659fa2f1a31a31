/** imageJobs.pan: extends a picture of an earlier job in one direction (contract 4.1). */
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { extended } from './pictures.ts'
import { imageJobReply, panBody, promptIn } from './schema.ts'
import { imageJobsKind, samplePrompt, sampleSource } from './scripted.ts'
import { sourceJob } from './source-job.ts'
import { seedFrom, startFrom } from './source-picture.ts'
import { submit } from './submit.ts'

export const pan = defineEndpoint({
  operation: 'imageJobs.pan',
  method: 'POST',
  path: '/v1/tob/pan',
  summary: 'Extends a picture of an earlier job in one direction.',
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({ ...sampleSource, direction: 1, scale: 1.5, remixPrompt: samplePrompt }),
  body: panBody,
  reply: imageJobReply,
  // What is drawn follows from the source's picture, not from the name of its job.
  contentIgnores: ['jobId'],
  idsIn: { body: ['jobId'] },
  promptOf: promptIn,
  act(call, context) {
    const { direction, scale, remixPrompt } = call.body
    const { source, address } = sourceJob(call, 'pan', context)
    const { model, text, images } = source.facts
    const start = startFrom(address, context, call.now)
    const size = extended(start.size ?? images, direction, scale)
    return submit(call, context, {
      source,
      model,
      text: remixPrompt ?? text,
      pictures: {
        size,
        seed: seedFrom(call.content, start),
        how: 'pan',
        from: { kind: 'extend', source: start.source, direction },
      },
    })
  },
})
