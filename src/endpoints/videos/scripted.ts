/**
 * What scenarios can write about videos: every field of the video object (contract 2.3), and videos that
 * exist when the scenario begins.
 */
import * as z from 'zod'
import { courseFollows, givenKey } from '../../behaviours/jobs/job-kind.ts'
import { endOfTime, parseTimestamp } from '../../engine/duration.ts'
import { type Fields, lazy } from '../../engine/fields.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { videoStatus } from './schema.ts'
import { videoCourse, videoJobs } from './video.ts'

/** Fields that scripts of several kinds of resources write alike. */
const sayTimestamp =
  'expected Unix seconds, or an ISO 8601 timestamp with its zone such as 2026-01-01T00:00:00Z'

/** A time that the contract counts in Unix seconds; ISO 8601 may be written in its place. */
const unixTimestamp = () =>
  z.union(
    [
      z
        .int()
        .min(0)
        .max(Math.floor(endOfTime / 1000)),
      z.string().refine((written) => (parseTimestamp(written) ?? Infinity) <= endOfTime, sayTimestamp),
    ],
    { error: sayTimestamp },
  )

/** What `unixTimestamp` stands for: Unix seconds. Anything else stays what it is. */
function unixSeconds(written: unknown): unknown {
  const at = typeof written === 'string' ? parseTimestamp(written) : undefined
  return at === undefined ? written : Math.floor(at / 1000)
}

/** A completed video that sample calls start from. */
export const sampleVideo = 'video_before'

const shape = lazy(() => videoStatus().shape)

const entry = lazy(() =>
  z.strictObject({
    status: shape().status.optional().describe('The status.'),
    progress: shape()
      .progress.optional()
      .describe('Percent done. Default: 100 for a completed video, else unchanged.'),
    error: z
      .strictObject({
        code: z.string().describe('The error code, such as `moderation_blocked`.'),
        message: z.string().optional().describe('What it says to people.'),
        type: z
          .string()
          .optional()
          .describe('Default: `video_generation_user_error` or `server_error`, by the code.'),
      })
      .nullable()
      .optional()
      .describe('Why it failed, or null. A failed video always has one.'),
    completed_at: unixTimestamp()
      .nullable()
      .optional()
      .describe('When it was completed, or null: Unix seconds or ISO 8601.'),
    expires_at: unixTimestamp()
      .nullable()
      .optional()
      .describe('From when on its content is gone, or null for never: Unix seconds or ISO 8601.'),
    created_at: unixTimestamp()
      .optional()
      .describe('When it was made, as it is shown: Unix seconds or ISO 8601.'),
    model: shape().model.optional().describe('The model as it is shown.'),
    seconds: z.string().optional().describe('Its length in seconds, a text.'),
    size: shape().size.optional().describe('Width and height in pixels.'),
    remixed_from_video_id: z.string().optional().describe('The video that it is a remix of.'),
    id: z
      .string()
      .min(1)
      .optional()
      .describe('The id as it is shown; the video is found by the id that its submission returned.'),
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
        'expected `video_` and up to 122 letters, digits, dashes or underscores behind it, as video_1',
      )
      .optional()
      .describe('Its id, which begins with `video_`. Default: generated.'),
    key: givenKey(),
    status: shape()
      .status.optional()
      .describe(
        'Its status. Default: `completed`. One `in_progress` is halfway, or as far as ' +
          '`progress` says, and continues.',
      ),
    model: shape().model.optional().describe('Its model. Default: one that its API key may use.'),
    prompt: z.string().optional().describe('Its prompt.'),
  }),
)

export const videosKind: ScriptedKind = {
  name: 'videos',
  resource: videoJobs.resource,
  noun: 'video',
  resultExpires: true,
  ended: { succeeded: 'completed', failed: 'failed' },
  pollRoute: (id) => `GET /v1/videos/${id}`,
  sample: { id: sampleVideo, status: 'completed' },
  pollParams: ({ id }) => ({ video_id: id }),
  readPoll: ({ id: _, object: __, ...fields }) => fields,
  entry,
  ramps: ['progress'],
  patch,
  follows: (patch, state) => courseFollows(videoCourse, patch, state),
  given,
  put: (given, place) => videoJobs.put({ ...given, fields: patch(given.fields) }, place),
}

const timestamps = ['completed_at', 'expires_at', 'created_at'] as const

function patch(fields: Fields): Fields {
  const read: Record<string, unknown> = { ...fields }
  for (const name of timestamps) if (name in read) read[name] = unixSeconds(read[name])
  return read
}
