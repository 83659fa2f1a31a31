/** The state of an image job, and its images. */
import { imageIndex } from '../../behaviours/image-jobs.ts'
import { describeImage } from '../../behaviours/image-series.ts'
import { defineEndpoint, type JobUse } from '../../protocol/endpoint.ts'
import { file } from '../../protocol/response.ts'
import { show } from '../../protocol/wording.ts'
import { imageProblem, notFound } from './image-job.ts'
import { imageJobsKind } from './kind.ts'
import { imageJobResponse } from './schema.ts'

/** The job in the path. */
const named: JobUse = { concerns: { kind: imageJobsKind, id: ({ jobId }) => jobId } }

/** The current state of a job. The contract names only the path (4.1). */
export const retrieveImageJob = defineEndpoint({
  operation: 'imageJobs.retrieve',
  method: 'GET',
  path: '/v1/tob/job/{jobId}',
  summary: 'Retrieve an image job',
  accepts: [],
  job: { ...named, polls: { kind: imageJobsKind } },
  response: imageJobResponse,
  idsIn: { params: ['jobId'] },
  act(call, context) {
    // The contract requires the submitting key in edits and does not mention polls: a job belongs to
    // its key, as a video does.
    const job = imageJobsKind.get(call.params.jobId, call.key.value, context)
    return imageJobsKind.respond(job, call.now, context)
  },
})

/** One image of a job that has succeeded. Takes no API key. */
export const readJobImage = defineEndpoint({
  operation: 'imageJobs.readImage',
  method: 'GET',
  path: '/media/image-jobs/{jobId}/{image}',
  summary: 'Download an image from an image job',
  extension: 'serves the image URLs in `urls`',
  open: true,
  job: named,
  accepts: [],
  idsIn: { params: ['jobId', 'image'] },
  act(call, context) {
    const { jobId, image } = call.params
    const found = imageJobsKind.look(jobId, undefined, call, context)
    const { facts } = found.job
    const index = imageIndex(image, facts)
    const problem = imageProblem(found, index)
    if (index === undefined || problem !== undefined)
      throw notFound(
        problem?.of === 'job' ? 'jobId' : 'image',
        problem?.message ??
          `The image job ${jobId} has no image ${show(image)}: ` +
            `expected 0.png to ${facts.images.count - 1}.png`,
      )
    return file(describeImage(facts.images, index), {
      download: `${encodeURIComponent(jobId)}-${index}.png`,
    })
  },
})
