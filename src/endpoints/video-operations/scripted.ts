/**
 * What scenarios can write about operations: every field of an operation (contract 2.4), and operations that
 * exist when the scenario begins.
 */
import * as z from 'zod'
import { courseFollows, givenKey } from '../../behaviours/jobs/job-kind.ts'
import { type Fields, lazy } from '../../engine/fields.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { type OperationFacts, operationCourse, operationJobs, rpcCodes } from './operation.ts'
import { dialects, namePattern, resolution } from './schema.ts'
import { scriptedVideos, wirePaths } from './wire.ts'

const time = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z' })
    .optional()
    .describe(description)

const video = lazy(() =>
  z.strictObject({
    uri: z.url().optional().describe('URL of the video. Default: a URL of the simulator.'),
    videoBytes: z.string().optional().describe('The video in base64. Default: a generated video.'),
    mimeType: z.string().min(1).optional().describe('Default: `video/mp4`.'),
    createTime: time('When it was made: ISO 8601.'),
  }),
)

const entry = lazy(() =>
  z.strictObject({
    status: z
      .enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'])
      .optional()
      .describe('The state, `metadata.state` on the wire. `done`, `error` and `response` follow from it.'),
    progressPercent: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe('Percent done, `metadata.progressPercent` on the wire.'),
    error: z
      .strictObject({
        code: z
          .union([z.enum(rpcCodes), z.int()])
          .describe('A code of google.rpc by its name, as `INVALID_ARGUMENT`, or its number.'),
        message: z.string().optional().describe('What it says.'),
        details: z
          .array(z.record(z.string(), z.unknown()))
          .optional()
          .describe('Further details. Default: none.'),
      })
      .nullable()
      .optional()
      .describe('Why it failed. An error without a `status` beside it makes it FAILED.'),
    filtered: z
      .array(z.string())
      .optional()
      .describe('A reason for each video that the safety filter holds back.'),
    response: z
      .strictObject({
        generatedVideos: z
          .array(video())
          .max(10)
          .optional()
          .describe('Its videos. Omitted fields are generated.'),
      })
      .optional()
      .describe('The result once it has succeeded, instead of its own videos; `{}` for an empty one.'),
    dialect: z
      .enum(dialects)
      .optional()
      .describe('The only field of `response` with the videos. Default: all three, for different clients.'),
    metadata: z
      .strictObject({
        '@type': z.string().optional().describe('The type of the metadata.'),
        createTime: time('When it was made: ISO 8601.'),
        updateTime: time('When it changed: ISO 8601.'),
      })
      .optional()
      .describe('Further fields of `metadata`.'),
    done: z
      .boolean()
      .optional()
      .describe(
        'Whether it is over. Default: depends on the status. With `true` and a status that is not ' +
          'terminal, the response has no videos.',
      ),
    name: z
      .string()
      .regex(namePattern, 'expected projects/…/locations/…/publishers/…/models/…/operations/<id>')
      .optional()
      .describe('The name as it is shown; the operation is found by the name that its submission returned.'),
  }),
)

const given = lazy(() =>
  z.strictObject({
    ...entry().shape,
    id: z
      .string()
      .regex(
        /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
        'expected a UUID in small letters, as 00000000-0000-4000-8000-000000000001',
      )
      .optional()
      .describe('Its id, the last part of its name: a UUID. Default: generated.'),
    key: givenKey(),
    status: entry().shape.status.describe(
      'Its state. Default: `SUCCEEDED`. A `RUNNING` one is halfway, or as far as ' +
        '`progressPercent` says, and continues.',
    ),
    model: z
      .string()
      .regex(/^[^/:\s]+$/, 'expected a model id without slashes, colons and spaces')
      .optional()
      .describe('Its model. Default: one that its API key may use.'),
    prompt: z.string().optional().describe('Its prompt.'),
    aspectRatio: z.enum(['16:9', '9:16']).optional().describe('Default: `16:9`.'),
    resolution: resolution().optional().describe('Default: `720p`.'),
    generateAudio: z.boolean().optional().describe('Whether its videos have sound. Default: true.'),
    durationSeconds: z.int().min(4).max(8).optional().describe('Seconds of each video. Default: 8.'),
    sampleCount: z.int().min(1).max(4).optional().describe('How many videos it makes. Default: 1.'),
  }),
)

export const operationsKind: ScriptedKind = {
  name: 'videoOperations',
  resource: operationJobs.resource,
  noun: 'operation',
  ended: { succeeded: 'SUCCEEDED', failed: 'FAILED' },
  // A finished operation holds its video, so the journal does not keep its text whole.
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
  idleField({ dialect, response }) {
    if (dialect === undefined || response === undefined || scriptedVideos(response) !== undefined)
      return undefined
    const message = 'does nothing beside a `response` without `generatedVideos`: keep one of them'
    return { name: 'dialect', message }
  },
  wirePaths,
  ramps: ['progressPercent'],
  patch,
  follows: (patch, state) => courseFollows(operationCourse, patch, state),
  given,
  put: (given, place) => operationJobs.put({ ...given, fields: patch(given.fields) }, place),
}

function patch(fields: Fields): Fields {
  const { error } = fields
  if (error === undefined || error === null || typeof error !== 'object') return fields
  const number = rpcCodes.indexOf((error as { code?: unknown }).code as (typeof rpcCodes)[number]) + 1
  const failed = fields['status'] === undefined ? { status: 'FAILED' } : {}
  return { ...fields, ...failed, error: number === 0 ? error : { ...error, code: number } }
}
