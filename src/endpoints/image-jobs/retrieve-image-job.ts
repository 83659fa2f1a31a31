/**
 * imageJobs.retrieve: the current state of a job. The contract names only the path (4.1).
 */
import { isOwnedBy, markOffContract, poll } from '../../behaviours/jobs/job.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { json } from '../../protocol/reply.ts'
import { findJob, goneMessage } from './find-job.ts'
import { shownImageJob } from './image-job.ts'
import { notFound } from './refusals.ts'
import { imageJobReply } from './schema.ts'
import { imageJobsKind } from './scripted.ts'

export const retrieveImageJob = defineEndpoint({
  operation: 'imageJobs.retrieve',
  method: 'GET',
  path: '/v1/tob/job/{jobId}',
  summary: 'Returns the state and the result of an image job.',
  accepts: [],
  polls: { kind: imageJobsKind },
  concerns: { kind: imageJobsKind, id: ({ jobId }) => jobId },
  reply: imageJobReply,
  idsIn: { params: ['jobId'] },
  act(call, context) {
    const { jobId } = call.params
    const job = findJob(jobId, context)
    if (typeof job === 'string') throw notFound('jobId', job)
    // Contract section 5 requires the submitting key in edits and does not mention polls: a job belongs to
    // its
    // key, as a video does.
    if (!isOwnedBy(job, call.key.value))
      throw notFound(
        'jobId',
        [
          `no image job ${jobId} for this API key in the session "${context.world.name}": another key`,
          'submitted it, poll with that one',
        ].join(' '),
      )
    const seen = poll(job, context.world, call.now)
    if (seen.gone) throw notFound('jobId', goneMessage(jobId, context))
    return markOffContract(json(shownImageJob(job, seen), { links: true }), job)
  },
})
