/** What the contract says about video operations beyond their schemas. */
import * as z from 'zod'
import { isFields, lazy, listOf } from '../../engine/fields.ts'
import { unnamed } from '../../protocol/contract-reading.ts'
import { envelope, fields } from '../../protocol/error-schema.ts'
import {
  at,
  type Course,
  doubtful,
  firstCounterexample,
  type GroupRules,
  type Invariant,
  isThere,
  type JudgedAnswer,
  ofCourse,
  shown,
} from '../../protocol/invariant.ts'
import { valueAt } from '../../protocol/wording.ts'

const answers: readonly Invariant<JudgedAnswer>[] = [
  doubtful(
    'wrong-value',
    'either response or error if done is true, otherwise neither',
    ({ endpoint, response }) => {
      const outcomes = ['response', 'error'].filter((name) => isThere(response[name]))
      const isWrong = outcomes.length !== (response['done'] === true ? 1 : 0)
      const got = `${outcomes.join(' and ') || 'neither'} with done: ${shown(response['done'])}`
      return endpoint.job?.polls !== undefined && isWrong && { pointer: '/done', got }
    },
  ),
  doubtful('missing-value', 'a uri or videoBytes in each generated video', ({ response }) =>
    firstCounterexample(listOf(valueAt(response, ['response', 'generatedVideos'])), (video, index) => {
      const isEmpty = isFields(video) && !video['uri'] && !video['videoBytes']
      return isEmpty && at(`/response/generatedVideos/${index}`, video)
    }),
  ),
]

const course: Course = {
  field: 'done',
  stage: ({ done }) => {
    if (done === true) return 2
    return done === false ? 1 : undefined
  },
  outcome: ({ error, response }) => {
    if (response) return 'response'
    return error ? 'error' : 'neither'
  },
}

const errors = lazy(() =>
  envelope({
    ...fields(),
    status: unnamed(z.string()).describe('The status name: INVALID_ARGUMENT, NOT_FOUND, …'),
    operation_id: unnamed(z.string())
      .optional()
      .describe('The id of the operation that was created despite the error.'),
  }),
)

export const videoOperationsRules: GroupRules = {
  group: 'video-operations',
  answers,
  lifecycle: ofCourse(course),
  errors,
  files: /^video\//,
}
