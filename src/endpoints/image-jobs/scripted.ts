/**
 * What scenarios can write about image jobs: every field of the job object (contract 2.2), and jobs that
 * exist when the scenario begins.
 */
import * as z from 'zod'
import { failed, imageJobKind, succeeded, waiting } from '../../behaviours/image-jobs.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { putImageJob } from './given.ts'
import { commentOf } from './image-job.ts'
import { imageJobReply } from './schema.ts'

/** The prompt and the sources of sample calls. */
export const samplePrompt = 'a question'
export const sampleImage = 'https://pictures.example/a.png'
export const sampleSource = { jobId: 'job-before', imageNo: 0 }

/** Names of the statuses of contract section 3, by number. */
const statusWords = ['waiting', 'running', 'succeeded', 'failed'] as const

/**
 * The cost by status: an estimate while the job runs, nothing when it has failed (wire-formats 7).
 */
const costs: Readonly<Record<number, { readonly cost: object | null }>> = {
  [waiting]: { cost: null },
  [succeeded]: { cost: { feeCost: 100, fastCost: 1 } },
  [failed]: { cost: { feeCost: 0, fastCost: 0 } },
}

const { shape } = imageJobReply

const entry = z.strictObject({
  status: z
    .union([z.enum(statusWords), shape.status])
    .optional()
    .describe('The status: `waiting` (0), `running` (1), `succeeded` (2) or `failed` (3).'),
  urls: shape.urls
    .optional()
    .describe(
      [
        'Result addresses. When left out: those of its own images once it has succeeded, an empty list',
        'before.',
      ].join(' '),
    ),
  comment: shape.comment
    .optional()
    .describe('Status text, or the reason of a failure. Follows from the status when left out.'),
  cost: z
    .strictObject({
      jobId: z.string().optional().describe("The job's own id when left out."),
      feeCost: z.int().nullable().optional().describe('Null when left out.'),
      fastCost: z.number().optional().describe('0 when left out.'),
      relaxCost: z.number().optional().describe('0 when left out.'),
      costAt: z.string().optional().describe('The instant of this entry when left out.'),
    })
    .nullable()
    .optional()
    .describe('What it costs upstream so far, or null. May change before it ends.'),
  audits: shape.audits.describe(
    [
      'For each address: empty when the image passed, else why it was blocked. A blocked image cannot',
      'be read.',
    ].join(' '),
  ),
  text: shape.text.describe('The prompt as it is shown.'),
  seed: shape.seed.describe('The seed as it is shown.'),
  id: shape.id
    .optional()
    .describe('The id as it is shown; the job is found by the id that its submission returned.'),
})

const given = z.strictObject({
  ...entry.shape,
  id: z
    .string()
    .regex(
      /^(?!\.{1,2}$)[^/\\\s\p{C}]{1,64}$/u,
      'expected 1 to 64 characters without slashes and spaces, as job-1',
    )
    .optional()
    .describe('Its id: any text of up to 64 characters without slashes and spaces. Minted when left out.'),
  key: z
    .string()
    .min(1)
    .optional()
    .describe('The API key that submitted it; the first one of the account when left out.'),
  status: entry.shape.status.describe(
    'The status it has now: `succeeded` when left out. A `running` one is halfway and continues.',
  ),
  model: z.string().min(1).optional().describe('Its model; one that its key may use when left out.'),
  text: shape.text.describe('Its prompt. `--ar` and `--seed` in it count.'),
  pictures: z
    .int()
    .min(1)
    .max(4)
    .optional()
    .describe('How many images it makes; 4 when left out, or as many as `urls`.'),
})

export const imageJobsKind: ScriptedKind = {
  name: 'imageJobs',
  resource: imageJobKind,
  noun: 'image job',
  promptField: 'text',
  refusesCallback: true,
  ended: { succeeded, failed },
  pollAddress: (id) => `GET /v1/tob/job/${id}`,
  hasImages: true,
  // A job is rejected when all of its images are (wire-formats 7).
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
  put: (given, context) => putImageJob({ ...given, fields: patch(given.fields) }, context),
}

function patch(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const status = statusWords.indexOf(fields['status'] as (typeof statusWords)[number])
  return status < 0 ? fields : { ...fields, status }
}
