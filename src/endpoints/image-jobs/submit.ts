/** Adds an image job to the session and replies with it. */

import { imageJobKind } from '../../behaviours/image-jobs.ts'
import { birthFrom, freshId, isOffContract, markOffContract } from '../../behaviours/jobs/job.ts'
import { mintUuid } from '../../engine/ids.ts'
import { stateOf } from '../../engine/resource.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { type PlannedRefusal, plannedError } from '../../protocol/plan.ts'
import { json, type Reply } from '../../protocol/reply.ts'
import { checkActiveLimit } from './active-jobs.ts'
import { type ImageJob, type ImageJobFacts, shownImageJob } from './image-job.ts'
import { type ImageSpec, imagesFrom } from './job-images.ts'
import { refusalCode } from './refusals.ts'
import { jobTimeline } from './timeline.ts'

/** The job that an operation submits. */
export interface Submission {
  readonly model: string
  readonly text: string | undefined
  readonly images: Omit<ImageSpec, 'model' | 'text'>
  /** The job it starts from, whose local time the new one shares. */
  readonly source?: ImageJob
}

/** Submits a job. Throws 429 over the limit, and the planned refusal of a job that continues anyway. */
export function submitImageJob(
  call: Call,
  { world, settings }: Context,
  { model, text, images: sketch, source }: Submission,
): Reply {
  checkActiveLimit(world, call.key.value, settings, call.now)
  const id = freshId(imageJobKind, world, call.identity, (identity) => mintUuid(world.tag, identity))
  const { bornAt, skip } = source === undefined ? { bornAt: call.now, skip: 0 } : birthFrom(source, call.now)
  const plan =
    settings.imageJobs.submitted === 'terminal' ? { ...call.plan.job, atOnce: true } : (call.plan.job ?? {})
  const images = imagesFrom({ ...sketch, model, text }, world)
  const timeline = jobTimeline({
    duration: settings.imageJobs.duration,
    count: images.count,
    plan,
    cost: call.content.fork('cost'),
  })
  const reservedModel = source?.facts.reservedModel ?? call.key.reservedModel === model
  const facts: ImageJobFacts = {
    model,
    reservedModel,
    text,
    seed: seedIn(text) ?? call.identity.fork('job seed').integer(0, 4294967295),
    images,
    blocked: plan.blocked ?? [],
  }
  const job = world.store.add({
    kind: imageJobKind,
    id,
    owner: call.key.value,
    bornAt,
    skip,
    facts,
    timeline,
    offContract: isOffContract(call.plan),
  })

  if (call.plan.refuse?.jobContinues === true) throw refusalWithJob(call.plan.refuse, id)
  return markOffContract(json(shownImageJob(job, stateOf(job, call.now)), { links: true }), job)
}

/** The seed in a prompt (`--seed 0..4294967295`, wire-formats 7); the last occurrence wins. */
export function seedIn(prompt: string | undefined): number | undefined {
  const written = [...(prompt ?? '').matchAll(/(?:^|\s)--seed\s+(\d{1,10})(?=\s|$)/g)].at(-1)?.[1]
  return written === undefined || Number(written) > 4294967295 ? undefined : Number(written)
}

// Contract section 7, 424 and 500: once the id is known, clients should query the original job. The envelope
// has no field for it, so it is in the message, in a detail and in `error.job_id`.
function refusalWithJob(refusal: PlannedRefusal, id: string): ApiError {
  const planned = plannedError(refusal, id)
  const code = planned.options.code ?? refusalCode(planned.type) ?? planned.status
  const advice = `The job ${id} exists and goes on: query GET /v1/tob/job/${id} instead of submitting again.`
  return new ApiError(planned.type, `${planned.message} ${advice}`, {
    ...planned.options,
    code,
    details: [{ code, message: advice, field: 'jobId' }],
  })
}
