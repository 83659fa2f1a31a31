/** Video operations as a kind: their course, and their fields in scenarios (every field of an operation). */
import * as z from 'zod'
import { type Course, followsStatus } from '../../behaviours/jobs/course.ts'
import { defineJobKind, givenKey } from '../../behaviours/jobs/kind.ts'
import { defined, type Fields, lazy } from '../../engine/fields.ts'
import { mintUuid } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import {
  defaultFailure,
  defaultPlace,
  factsIn,
  type OperationFacts,
  rpcCodes,
  showOperation,
  showSubmitted,
} from './operation.ts'
import { namePattern, resolution, type SubmitBody } from './schema.ts'

const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z' })
    .optional()
    .describe(description)

const video = () =>
  z.strictObject({
    uri: z.url().optional().describe('The URL of the video. Default: a simulator URL.'),
    videoBytes: z.string().optional().describe('The video in base64. Default: a generated video.'),
    mimeType: z.string().min(1).optional().describe('The media type. Default: `video/mp4`.'),
    createTime: time('The creation time: ISO 8601.'),
  })

const error = () =>
  z.strictObject({
    code: z
      .union([z.enum(rpcCodes), z.int()])
      .describe('A google.rpc code: its name, such as `INVALID_ARGUMENT`, or its number.'),
    message: z.string().optional().describe('The error message.'),
    details: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('Further details. Default: none.'),
  })

const entry = lazy(() =>
  z.strictObject({
    status: z
      .enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'])
      .optional()
      .describe('The state (`metadata.state` in responses). It determines `done`, `error` and `response`.'),
    progressPercent: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe('The progress in percent (`metadata.progressPercent` in responses).'),
    error: error().nullable().optional().describe('The error. Without `status`, the state becomes FAILED.'),
    filtered: z
      .array(z.string())
      .optional()
      .describe('The reasons why the safety filter removes videos: one for each removed video.'),
    response: z
      .strictObject({
        generatedVideos: z
          .array(video())
          .max(10)
          .optional()
          .describe('The videos. Omitted fields are generated.'),
      })
      .optional()
      .describe('The result after success. Default: generated videos. `{}` is an empty result.'),
    metadata: z
      .strictObject({
        '@type': z.string().optional().describe('The metadata type.'),
        createTime: time('The creation time: ISO 8601.'),
        updateTime: time('The time of the last change: ISO 8601.'),
      })
      .optional()
      .describe('The other fields of `metadata`.'),
    done: z
      .boolean()
      .optional()
      .describe(
        'Whether the operation is done. Default: true if the status is final. If set to `true` earlier, ' +
          'the response has no videos.',
      ),
    name: z
      .string()
      .regex(namePattern, 'expected projects/…/locations/…/publishers/…/models/…/operations/<id>')
      .optional()
      .describe('The name in poll responses. Clients still poll with the name from the submission response.'),
  }),
)

const given = lazy(() =>
  z.strictObject({
    ...entry().shape,
    id: z
      .string()
      .regex(
        /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
        'expected a lower-case UUID such as 00000000-0000-4000-8000-000000000001',
      )
      .optional()
      .describe('The id (the last part of the name): a UUID. Default: generated.'),
    key: givenKey(),
    status: entry().shape.status.describe(
      'The state. Default: `SUCCEEDED`. A `RUNNING` operation continues from `progressPercent`, or ' +
        'from halfway.',
    ),
    model: z
      .string()
      .regex(/^[^/:\s]+$/, 'expected a model id without slashes, colons or spaces')
      .optional()
      .describe('The model. Default: a model that the API key may use.'),
    prompt: z.string().optional().describe('The prompt.'),
    aspectRatio: z.enum(['16:9', '9:16']).optional().describe('The aspect ratio. Default: `16:9`.'),
    resolution: resolution().optional().describe('The resolution. Default: `720p`.'),
    generateAudio: z.boolean().optional().describe('Whether the videos have sound. Default: true.'),
    durationSeconds: z
      .int()
      .min(4)
      .max(8)
      .optional()
      .describe('The duration of each video in seconds. Default: 8.'),
    sampleCount: z.int().min(1).max(4).optional().describe('The number of videos. Default: 1.'),
  }),
)

const isRunning = { status: 'RUNNING' }

/** Pending, running after a tenth of the duration, done at its end. */
const course: Course = {
  begins: { status: 'PENDING', progressPercent: 0 },
  steps: [10, 50].map((at) => ({ at, patch: isRunning })),
  succeeds: { status: 'SUCCEEDED' },
  fails(failure) {
    const code = (rpcCodes as readonly unknown[]).indexOf(failure?.code) + 1
    const message = failure?.message ?? defaultFailure.message
    return { status: 'FAILED', error: { code: code || defaultFailure.code, message } }
  },
  progress: 'progressPercent',
}

export const operationsKind = defineJobKind<OperationFacts>({
  name: 'videoOperations',
  resource: 'videoOperation',
  noun: 'operation',
  expected: 'the last part of the `name` from a submission response',
  defaultModel: 'veo-3.0-generate-001',
  ended: { succeeded: 'SUCCEEDED', failed: 'FAILED' },
  course: () => course,
  mintId: mintUuid,
  notFound: (sentence) => new ApiError('not_found_error', `${sentence}.`, { param: 'operation_id' }),
  showSubmitted,
  show: showOperation,
  // A finished operation contains its video; the journal truncates its text.
  readEnd(response) {
    const start = response.slice(0, 4000)
    if (!/"done":\s*true/.test(start)) return undefined
    return /"error":\s*\{/.test(start) ? 'failed' : 'succeeded'
  },
  pollRoute: (id) => `GET …/operations/${id}`,
  pollParams({ id, facts }) {
    const { project, location, publisher, model } = facts as OperationFacts
    return { project_id: project, location, publisher, model, operation_id: id }
  },
  readPoll({ name: _, metadata, ...fields }) {
    const { state, progressPercent } = (metadata ?? {}) as Readonly<Record<string, unknown>>
    return { status: state, progressPercent, ...fields }
  },
  entry,
  given,
  ramps: ['progressPercent'],
  patch,
  follows: (patch, state) => followsStatus(course, patch, state),
  readGiven(fields, { model, chance, tag }) {
    const { prompt, ...more } = fields as typeof fields &
      SubmitBody['parameters'] & { readonly prompt?: string }
    const { aspectRatio, resolution, generateAudio, durationSeconds, sampleCount, ...shown } = more
    const facts: OperationFacts = {
      ...defaultPlace,
      model,
      prompt: prompt ?? '',
      ...factsIn({ aspectRatio, resolution, generateAudio, durationSeconds, sampleCount }),
      seed: chance.fork('operation').hex(16),
      ...defined({ tag }),
    }
    return [facts, shown]
  },
})

function patch(fields: Fields): Fields {
  const { error } = fields
  if (error === undefined || error === null || typeof error !== 'object') return fields
  const number = rpcCodes.indexOf((error as { code?: unknown }).code as (typeof rpcCodes)[number]) + 1
  const failed = fields['status'] === undefined ? { status: 'FAILED' } : {}
  return { ...fields, ...failed, error: number === 0 ? error : { ...error, code: number } }
}
