/** Videos as a kind: their course, and their fields in scenarios (every field of the video object). */
import * as z from 'zod'
import { type Course, followsStatus } from '../../behaviours/jobs/course.ts'
import { defineJobKind, givenKey } from '../../behaviours/jobs/kind.ts'
import { lazy } from '../../engine/fields.ts'
import { mintId } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import { defaultModel, defaultSeconds, defaultSize, durations, sizes, videoStatus } from './schema.ts'
import { defaultFailure, showSubmitted, showVideo, type VideoFacts } from './video.ts'

/** A completed video as the source of sample requests. */
export const sampleVideo = 'video_before'

const shape = lazy(() => videoStatus().shape)

const entry = lazy(() =>
  z.strictObject({
    status: shape().status.optional().describe('The status.'),
    progress: shape()
      .progress.optional()
      .describe('The progress in percent. Default: 100 for a completed video, otherwise unchanged.'),
    error: z
      .strictObject({
        code: z.string().describe('The error code, such as `moderation_blocked`.'),
        message: z.string().optional().describe('The error message.'),
        type: z
          .string()
          .optional()
          .describe(
            'The error type. Default: `video_generation_user_error` or `server_error`, depending on `code`.',
          ),
      })
      .nullable()
      .optional()
      .describe('The error, or null. A failed video always has an error.'),
    completed_at: shape().completed_at.optional().describe('The completion time in Unix seconds, or null.'),
    expires_at: shape()
      .expires_at.optional()
      .describe('The expiry time of the content in Unix seconds, or null for no expiry.'),
    created_at: shape().created_at.optional().describe('The creation time in responses, in Unix seconds.'),
    model: shape().model.optional().describe('The model in responses.'),
    seconds: z.string().optional().describe('The duration in seconds, as a string.'),
    size: shape().size.optional().describe('Width x height in pixels.'),
    remixed_from_video_id: z.string().optional().describe('The id of the source video.'),
    id: z
      .string()
      .min(1)
      .optional()
      .describe('The id in poll responses. Clients still poll with the id from the submission response.'),
    object: shape().object.optional().describe('Always `video`.'),
  }),
)

const given = lazy(() =>
  z.strictObject({
    ...entry().omit({ created_at: true, object: true }).shape,
    id: z
      .string()
      .regex(
        /^video_[A-Za-z0-9_-]{1,122}$/,
        'expected `video_` and 1 to 122 letters, digits, dashes or underscores, such as video_1',
      )
      .optional()
      .describe('The id, which starts with `video_`. Default: generated.'),
    key: givenKey(),
    status: shape()
      .status.optional()
      .describe(
        'The status. Default: `completed`. An `in_progress` video continues from `progress`, or from ' +
          'halfway.',
      ),
    model: shape().model.optional().describe('The model. Default: a model that the API key may use.'),
    prompt: z.string().optional().describe('The prompt.'),
  }),
)

const inProgress = { status: 'in_progress' }

/** Pending, in progress from 10% of the duration, completed at its end. */
const course: Course = {
  begins: { status: 'pending', progress: 0, error: null },
  steps: [10, 25, 50, 75].map((at) => ({ at, patch: inProgress })),
  succeeds: { status: 'completed' },
  fails: (error = defaultFailure) => ({ status: 'failed', error }),
  progress: 'progress',
}

export const videosKind = defineJobKind<VideoFacts>({
  name: 'videos',
  resource: 'video',
  noun: 'video',
  expected: 'the `id` from a submission or remix response',
  defaultModel,
  resultExpires: true,
  ended: { succeeded: 'completed', failed: 'failed' },
  course: () => course,
  mintId: (tag, random) => mintId('video_', tag, random),
  notFound: (sentence) => new ApiError('not_found_error', `${sentence}.`, { param: 'video_id' }),
  showSubmitted,
  show: showVideo,
  pollRoute: (id) => `GET /v1/videos/${id}`,
  listRoute: 'GET /v1/videos',
  pollParams: ({ id }) => ({ video_id: id }),
  readPoll: ({ id: _, object: __, ...fields }) => fields,
  sample: { id: sampleVideo, status: 'completed' },
  entry,
  given,
  ramps: ['progress'],
  patch: (fields) => fields,
  follows: (patch, state) => followsStatus(course, patch, state),
  readGiven(fields, { model, chance }) {
    const {
      prompt,
      seconds,
      size,
      remixed_from_video_id: remixedFrom,
      ...shown
    } = fields as typeof fields & { readonly prompt?: string; readonly remixed_from_video_id?: string }
    const facts: VideoFacts = {
      model,
      prompt: prompt ?? '',
      seconds: durations.find((known) => known === seconds) ?? defaultSeconds,
      size: sizes.find((known) => known === size) ?? defaultSize,
      seed: chance.fork('video').hex(16),
      remixedFrom,
    }
    return [facts, shown]
  },
})
