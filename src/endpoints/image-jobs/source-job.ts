/** The earlier job that an edit starts from, and every reason why it may not (contract 4.1, 5, 7). */

import { failed, succeeded } from '../../behaviours/image-jobs.ts'
import { isOwnedBy } from '../../behaviours/jobs/job.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { inspectJob } from './find-job.ts'
import { type ImageJob, renderImageJob } from './image-job.ts'
import { jobImageUrl } from './job-images.ts'
import { checkEdit, checkModel, type Edit } from './models.ts'
import { unsuitableField } from './refusals.ts'

/** The job, and the address of its image: its own, or the one that a script has set. */
export interface SourceJob {
  readonly source: ImageJob
  readonly address: string
}

/**
 * The source job. Throws 400 with code 2004 when it does not suit, 403 when its model is no longer enabled
 * for the key.
 */
export function sourceJob(
  call: Call<{ readonly jobId: string; readonly imageNo: number }>,
  edit: Edit,
  context: Context,
): SourceJob {
  const { jobId, imageNo } = call.body
  const found = inspectJob(jobId, context, call.now)
  if (typeof found === 'string') throw unsuitableField('jobId', found)
  const { job, seen } = found
  if (!isOwnedBy(job, call.key.value))
    throw unsuitableField(
      'jobId',
      [
        `the image job ${jobId} was submitted with another API key: send the edit with the key that`,
        'submitted it',
      ].join(' '),
    )

  const { status, comment, urls, audits } = renderImageJob(job, seen)
  if (status === failed)
    throw unsuitableField(
      'jobId',
      [
        `the image job ${jobId} has failed (status 3, ${comment}): expected a job that has succeeded`,
        '(status 2), start from another one',
      ].join(' '),
    )
  if (status !== succeeded)
    throw unsuitableField(
      'jobId',
      [
        `the image job ${jobId} has not ended yet (status ${status}): expected a job that has succeeded`,
        `(status 2), poll GET /v1/tob/job/${jobId} until it has`,
      ].join(' '),
    )
  const pictures = urls ?? []
  if (imageNo >= pictures.length)
    throw unsuitableField(
      'imageNo',
      [
        `expected ${expectedIndexes(pictures.length)} since the source job has`,
        `${pictures.length} picture(s), got ${imageNo}`,
      ].join(' '),
    )
  const blocked = audits?.[imageNo] ?? ''
  if (blocked !== '')
    throw unsuitableField(
      'imageNo',
      `expected a picture that passed the audit, got picture ${imageNo} of the source job (${blocked})`,
    )

  if (job.facts.reservedModel !== true) checkModel(job.facts.model, call.key, context.settings, 'jobId')
  checkEdit(job.facts.model, edit, context.settings, 'jobId')
  const address: unknown = pictures[imageNo]
  // A script may have set anything.
  return {
    source: job,
    address: typeof address === 'string' ? address : jobImageUrl(jobId, imageNo, job.facts.tag),
  }
}

function expectedIndexes(count: number): string {
  if (count === 0) return 'a source job with pictures'
  return count === 1 ? '0' : `0 to ${count - 1}`
}
