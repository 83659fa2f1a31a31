/**
 * imageJobs.readImage: one image of a job that has succeeded. Needs no key.
 */

import { givenContent, imageIndex, succeeded } from '../../behaviours/image-jobs.ts'
import { describeImage } from '../../behaviours/image-series.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { heldFile } from '../../protocol/held-file.ts'
import { file } from '../../protocol/reply.ts'
import { show } from '../../protocol/wording.ts'
import { inspectJob } from './find-job.ts'
import { renderImageJob } from './image-job.ts'
import { notFound } from './refusals.ts'
import { imageJobsKind } from './scripted.ts'

export const readJobImage = defineEndpoint({
  operation: 'imageJobs.readImage',
  method: 'GET',
  path: '/media/image-jobs/{jobId}/{image}',
  summary: 'Returns an image of an image job.',
  extension: 'The addresses in `urls` must lead to an image.',
  open: true,
  concerns: { kind: imageJobsKind, id: ({ jobId }) => jobId },
  accepts: [],
  idsIn: { params: ['jobId', 'image'] },
  act(call, context) {
    const { jobId, image } = call.params
    const found = inspectJob(jobId, context, call.now)
    if (typeof found === 'string') throw notFound('jobId', found)
    const { job, seen } = found
    const { status, comment, audits } = renderImageJob(job, seen)
    if (status !== succeeded)
      throw notFound(
        'jobId',
        [
          `the image job ${jobId} has no pictures: expected it to have succeeded (status 2), it has`,
          `status ${status} (${comment})`,
        ].join(' '),
      )

    const { images } = job.facts
    const index = imageIndex(image, job.facts)
    if (index === undefined)
      throw notFound(
        'image',
        [
          `the image job ${jobId} has no picture ${show(image)}: expected`,
          images.count === 1 ? '0.png' : `0.png to ${images.count - 1}.png`,
        ].join(' '),
      )
    const audit = audits?.[index] ?? ''
    if (audit !== '')
      throw notFound(
        'image',
        [
          `picture ${index} of the image job ${jobId} cannot be read (${audit}): look at \`audits\``,
          `before following \`urls\``,
        ].join(' '),
      )
    const own = givenContent(job.facts.contents, index)
    if (own !== undefined) return heldFile(own, image)
    return file(describeImage(images, index, context.world), {
      download: `${encodeURIComponent(jobId)}-${index}.png`,
    })
  },
})
