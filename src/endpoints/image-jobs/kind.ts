/**
 * Image jobs as a kind: their fields in scenarios (every field of the job object), jobs that a
 * scenario gives, and their timelines: running, cost estimated, finished.
 */
import * as z from 'zod'
import { failed, imageJobKind, running, succeeded, waiting } from '../../behaviours/image-jobs.ts'
import { plannedTimeline, withInitialStatus } from '../../behaviours/jobs/job.ts'
import { type CoursePoint, defineJobKind, givenKey } from '../../behaviours/jobs/job-kind.ts'
import { defined, type Fields, lazy } from '../../engine/fields.ts'
import { mintUuid, type Random } from '../../engine/random.ts'
import type { Timeline, TimelineEntry } from '../../engine/timeline.ts'
import { ApiError } from '../../protocol/errors.ts'
import { type PlannedJob, type PlannedRejection, plannedError } from '../../protocol/plan.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import {
  commentOf,
  defaultSize,
  type ImageJobFacts,
  type ImageJobResponse,
  imagesFrom,
  notFound,
  rejectionCode,
  sizeInPrompt,
} from './image-job.ts'
import { imageJobResponse } from './schema.ts'

export const jobKind = defineJobKind<ImageJobFacts>({
  resource: imageJobKind,
  noun: 'image job',
  expected: 'the `id` from a submission response',
  catalog: 'imageJobs',
  defaultModel: 'image-job-v7',
  first: running,
  notFound: (sentence) => notFound('jobId', sentence),
  goesOn: rejectionWithJob,
  mintId: mintUuid,
  readGiven(fields, given, { sandbox, settings, model, chance, tag }) {
    const { text, seed, images, ...shown } = fields as typeof fields & {
      readonly text?: string
      readonly seed?: number
      readonly images?: number
    }
    const urls = Array.isArray(shown['urls']) ? shown['urls'].length : 0
    const listed = [urls, given.contents?.length ?? 0].find((length) => length >= 1 && length <= 4)
    const count = images ?? listed ?? 4
    const status = shown['status'] ?? succeeded
    const course = {
      duration: settings.imageJobs.duration,
      count,
      plan: {},
      fastCost: fastCostFrom(chance.fork('cost')),
    }
    const size = sizeInPrompt(text) ?? defaultSize
    const facts: ImageJobFacts = {
      model,
      text,
      seed: seed ?? seedIn(text) ?? chance.fork('job seed').integer(0, 4294967295),
      images: imagesFrom({ size, count, seed: chance.fork('pictures').hex(32) }, model, text, sandbox),
      blocked: [],
      contents: given.contents,
      ...defined({ tag }),
    }
    return {
      facts,
      shown: given.timeline === undefined ? { ...shown, status } : shown,
      point: pointAt(status, course, shown['comment']),
    }
  },
})

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

function pointAt(status: unknown, course: TimelineOptions, comment: unknown): CoursePoint | undefined {
  const { duration } = course
  switch (status) {
    case waiting:
      return { course: waitingTimeline(course), at: 0, ended: false }
    case running:
      return { course: jobTimeline(course), at: Math.round(duration / 2), ended: false }
    case succeeded:
      return { course: jobTimeline(course), at: duration, ended: true }
    case failed: {
      const message = typeof comment === 'string' ? comment : 'JobStatusFail'
      return {
        course: jobTimeline({ ...course, plan: { failure: { code: message, message } } }),
        at: duration,
        ended: true,
      }
    }
    default:
      return undefined
  }
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

export const imageJobsKind: ScriptedKind = {
  name: 'imageJobs',
  resource: imageJobKind,
  noun: 'image job',
  promptField: 'text',
  rejectsCallback: true,
  ended: { succeeded, failed },
  pollRoute: (id) => `GET /v1/tob/job/${id}`,
  hasImages: true,
  // A job is rejected when all of its images are.
  filtered: { blocked: [0, 1, 2, 3] },
  sample: { id: sampleSource.jobId, status: 'succeeded' },
  pollParams: ({ id }) => ({ jobId: id }),
  readPoll: ({ id: _, status, ...fields }) => ({
    status: statusWords[status as number] ?? status,
    ...fields,
  }),
  entry,
  ramps: [],
  patch,
  follows: ({ status }) =>
    status === undefined
      ? {}
      : { comment: commentOf(status), ...(typeof status === 'number' ? costs[status] : {}) },
  given,
  put: (given, place) => jobKind.put({ ...given, fields: patch(given.fields) }, place),
}

function patch(fields: Fields): Fields {
  const status = statusWords.indexOf(fields['status'] as (typeof statusWords)[number])
  return status < 0 ? fields : { ...fields, status }
}

interface TimelineOptions {
  /** Milliseconds from submission to completion. */
  readonly duration: number
  /** The number of images. */
  readonly count: number
  readonly plan: PlannedJob
  /** The final cost. */
  readonly fastCost: number
}

/** The default cost of a job. */
export function fastCostFrom(chance: Random): number {
  return chance.integer(80, 120) / 100
}

/** The percentage of the duration at which a waiting job starts to run. */
const waitingShare = 10

/**
 * The timeline of a job: the planned one, or the default with the planned end. A job that falls back waits
 * (status 0) before it runs again; otherwise clients would not see it in `status`.
 */
export function jobTimeline(course: TimelineOptions): Timeline {
  const { plan, duration } = course
  if (plan.timeline !== undefined) return withInitialStatus(plan.timeline, running)
  return plannedTimeline(plan, duration, (way, from) => defaultTimeline({ ...course, plan: way }, from > 0))
}

/** The default timeline of a job that waits first; only scenarios can request it. */
function waitingTimeline(course: TimelineOptions): Timeline {
  return defaultTimeline(course, true)
}

function defaultTimeline(course: TimelineOptions, waits: boolean): Timeline {
  const { plan, duration, fastCost } = course
  const share = (percent: number): number =>
    Math.round((duration * Math.min(100, Math.max(0, percent))) / 100)
  const end = plan.finished === true ? 0 : share(plan.failAt ?? 100)
  const estimateAt = share(25)
  // image-job.ts adds the other fields.
  const cost = (
    feeCost: number | null,
    fastCost: number,
  ): Partial<NonNullable<ImageJobResponse['cost']>> => ({
    feeCost,
    fastCost,
  })

  const entries: TimelineEntry[] = [{ at: 0, patch: { status: waits ? waiting : running, cost: null } }]
  if (waits && share(waitingShare) < end)
    entries.push({ at: share(waitingShare), patch: { status: running } })
  if (plan.stuck === true || estimateAt < end)
    entries.push({ at: estimateAt, patch: { cost: cost(null, 1) } })
  if (plan.stuck !== true) {
    const failure = failureOf(plan, course.count)
    // A failed job costs nothing.
    if (failure === undefined)
      entries.push({
        at: end,
        patch: { status: succeeded, cost: cost(Math.round(fastCost * 100), fastCost) },
      })
    else entries.push({ at: end, patch: { status: failed, comment: failure, cost: cost(0, 0) } })
  }
  if (plan.notFoundAt === undefined) return entries
  const notFoundAt = share(plan.notFoundAt)
  return [...entries.filter(({ at }) => at <= notFoundAt), { at: notFoundAt, notFound: true }]
}

// `comment` has the service's own codes as they are; of other failures the readable message.
function failureOf(plan: PlannedJob, count: number): string | undefined {
  if (plan.failAt !== undefined || plan.failure !== undefined) {
    if (plan.failure === undefined) return 'JobStatusFail'
    const { code, message = code } = plan.failure
    return code.startsWith('JobStatus') ? code : message
  }
  const blocked = new Set(plan.blocked?.filter((index) => index < count))
  return blocked.size === count ? 'JobStatusReject' : undefined
}
