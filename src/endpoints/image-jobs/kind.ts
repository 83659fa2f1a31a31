/** Image jobs as a kind: their course, and their fields in scenarios (every field of the job object). */
import * as z from 'zod'
import { failed, imageJobKind, running, succeeded, waiting } from '../../behaviours/image-jobs.ts'
import type { Course } from '../../behaviours/jobs/course.ts'
import { defineJobKind, givenKey } from '../../behaviours/jobs/kind.ts'
import { defined, lazy } from '../../engine/fields.ts'
import { mintUuid, type Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import { type PlannedJob, type PlannedRejection, plannedError } from '../../protocol/plan.ts'
import type { Settings } from '../../protocol/settings.ts'
import {
  commentOf,
  defaultSize,
  type ImageJobFacts,
  imagesFrom,
  notFound,
  rejectionCode,
  showImageJob,
  sizeInPrompt,
} from './image-job.ts'
import { imageJobResponse } from './schema.ts'

// After a 424 or a 500, once the id is known, clients should query the original job. The envelope
// has no field for it, so it is in the message, in a detail and in `error.job_id`.
function rejectionWithJob(rejection: PlannedRejection, id: string): ApiError {
  const planned = plannedError(rejection, id)
  const code = planned.options.code ?? rejectionCode(planned.type) ?? planned.status
  const advice = `The job ${id} exists: poll GET /v1/tob/job/${id} instead of submitting again.`
  return new ApiError(planned.type, `${planned.message} ${advice}`, {
    ...planned.options,
    code,
    details: [{ code, message: advice, field: 'jobId' }],
  })
}

/** The seed in a prompt (`--seed 0..4294967295`); the last occurrence wins. */
export function seedIn(prompt: string | undefined): number | undefined {
  // Most prompts have no parameters, and matching all is slow.
  if (prompt?.includes('--') !== true) return undefined
  const written = [...prompt.matchAll(/(?:^|\s)--seed\s+(\d{1,10})(?=\s|$)/g)].at(-1)?.[1]
  return written === undefined || Number(written) > 4294967295 ? undefined : Number(written)
}

/** The prompt and source images of sample requests. */
export const samplePrompt = 'a question'
export const sampleImage = 'https://pictures.example/a.png'
export const sampleSource = { jobId: 'job-before', imageNo: 0 }

/** Names of the statuses, by number. */
const statusWords = ['waiting', 'running', 'succeeded', 'failed'] as const

/** The cost by status: an estimate while the job runs, nothing when it has failed. */
const costs: Readonly<Record<number, { readonly cost: object | null }>> = {
  [waiting]: { cost: null },
  [succeeded]: { cost: { feeCost: 100, fastCost: 1 } },
  [failed]: { cost: { feeCost: 0, fastCost: 0 } },
}

const shape = lazy(() => imageJobResponse().shape)

const entry = lazy(() =>
  z.strictObject({
    status: z
      .union([z.enum(statusWords), shape().status])
      .optional()
      .describe('The status: `waiting` (0), `running` (1), `succeeded` (2) or `failed` (3).'),
    urls: shape()
      .urls.optional()
      .describe(
        'The result URLs. Default: the image URLs if the job has succeeded, otherwise an empty array.',
      ),
    comment: shape()
      .comment.optional()
      .describe('The status text, or the reason for a failure. Default: depends on the status.'),
    cost: z
      .strictObject({
        jobId: z.string().optional().describe('Default: the job id.'),
        feeCost: z.int().nullable().optional().describe('Default: null.'),
        fastCost: z.number().optional().describe('Default: 0.'),
        relaxCost: z.number().optional().describe('Default: 0.'),
        costAt: z.string().optional().describe('Default: the time of this entry.'),
      })
      .nullable()
      .optional()
      .describe('The upstream cost so far, or null. It may change until the job ends.'),
    audits: shape().audits.describe(
      'One string per URL: empty if the image passed moderation, otherwise the reason for blocking it. ' +
        'Blocked images cannot be downloaded.',
    ),
    text: shape().text.describe('The prompt in responses.'),
    seed: shape().seed.describe('The seed in responses.'),
    id: shape()
      .id.optional()
      .describe('The id in poll responses. Clients still poll with the id from the submission response.'),
  }),
)

const given = lazy(() =>
  z.strictObject({
    ...entry().shape,
    id: z
      .string()
      .regex(
        /^(?!\.{1,2}$)[^/\\\s\p{C}]{1,64}$/u,
        'expected 1 to 64 characters without slashes or spaces, such as job-1',
      )
      .optional()
      .describe('The id: up to 64 characters without slashes or spaces. Default: generated.'),
    key: givenKey(),
    status: entry().shape.status.describe(
      'The status. Default: `succeeded`. A `running` job starts halfway through and continues.',
    ),
    model: z.string().min(1).optional().describe('The model. Default: a model that the API key may use.'),
    text: shape().text.describe('The prompt. The parameters `--ar` and `--seed` apply.'),
    images: z
      .int()
      .min(1)
      .max(4)
      .optional()
      .describe('The number of images. Default: the length of `urls`, or 4 without `urls`.'),
  }),
)

export const imageJobsKind = defineJobKind<ImageJobFacts>({
  name: 'imageJobs',
  resource: imageJobKind,
  noun: 'image job',
  expected: 'the `id` from a submission response',
  defaultModel: 'image-job-v7',
  rejectsCallback: true,
  hasImages: true,
  ended: { succeeded, failed },
  // A job is rejected when all of its images are.
  filtered: { blocked: [0, 1, 2, 3] },
  course: courseFor,
  courseKey: ({ fastCost }) => fastCost,
  planOf,
  mintId: mintUuid,
  notFound: (sentence) => notFound('jobId', sentence),
  goesOn: rejectionWithJob,
  showSubmitted: showImageJob,
  show: showImageJob,
  pollRoute: (id) => `GET /v1/tob/job/${id}`,
  pollParams: ({ id }) => ({ jobId: id }),
  readPoll: ({ id: _, status, ...fields }) => ({
    status: statusWords[status as number] ?? status,
    ...fields,
  }),
  sample: { id: sampleSource.jobId, status: 'succeeded' },
  entry,
  given,
  ramps: [],
  patch(fields) {
    const status = statusWords.indexOf(fields['status'] as (typeof statusWords)[number])
    return status < 0 ? fields : { ...fields, status }
  },
  follows: ({ status }) =>
    status === undefined
      ? {}
      : { comment: commentOf(status), ...(typeof status === 'number' ? costs[status] : {}) },
  readGiven(fields, { sandbox, model, chance, tag }) {
    const { text, seed, images, ...shown } = fields as typeof fields & {
      readonly text?: string
      readonly seed?: number
      readonly images?: number
    }
    const urls = Array.isArray(shown['urls']) ? shown['urls'].length : 0
    const spec = {
      size: sizeInPrompt(text) ?? defaultSize,
      count: images ?? (urls >= 1 && urls <= 4 ? urls : 4),
      seed: chance.fork('pictures').hex(32),
    }
    const facts: ImageJobFacts = {
      model,
      text,
      seed: seed ?? seedIn(text) ?? chance.fork('job seed').integer(0, 4294967295),
      images: imagesFrom(spec, model, text, sandbox),
      fastCost: fastCostFrom(chance.fork('cost')),
      blocked: [],
      ...defined({ tag }),
    }
    return [facts, shown]
  },
})

/** The final cost of a job. */
export function fastCostFrom(chance: Random): number {
  return chance.integer(80, 120) / 100
}

// image-job.ts adds the other fields of the cost.
const estimate = { at: 25, patch: { cost: { feeCost: null, fastCost: 1 } } }

/**
 * Runs, has an estimated cost, and finishes. A job that falls back waits before it runs again; otherwise
 * clients would not see it in `status`.
 */
function courseFor({ fastCost }: ImageJobFacts): Course {
  const course: Course = {
    begins: { status: running, cost: null },
    steps: [estimate],
    succeeds: { status: succeeded, cost: { feeCost: Math.round(fastCost * 100), fastCost } },
    // A failed job costs nothing.
    fails: (failure) => ({
      status: failed,
      comment: commentOn(failure),
      cost: { feeCost: 0, fastCost: 0 },
    }),
  }
  const steps = [{ at: 10, patch: { status: running } }, estimate]
  return { ...course, again: { ...course, begins: { status: waiting, cost: null }, steps } }
}

// `comment` has the service's own codes as they are; of other failures the readable message.
function commentOn(failure: PlannedJob['failure']): string {
  if (failure === undefined) return 'JobStatusFail'
  const { code, message = code } = failure
  return code.startsWith('JobStatus') ? code : message
}

/** A job fails if the audit blocks all of its images; the settings may finish it at once. */
function planOf(
  plan: PlannedJob | undefined,
  { blocked, images }: ImageJobFacts,
  { imageJobs }: Settings,
): PlannedJob | undefined {
  const planned = imageJobs.submitted === 'finished' ? { ...plan, finished: true } : plan
  const isRejected = new Set(blocked.filter((index) => index < images.count)).size === images.count
  return isRejected && planned?.failAt === undefined
    ? { failure: { code: 'JobStatusReject' }, ...planned }
    : planned
}
