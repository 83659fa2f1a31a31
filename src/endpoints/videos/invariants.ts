/** What the contract says about videos beyond their schemas. */
import { type Fields, isFields } from '../../engine/fields.ts'
import {
  at,
  breaking,
  type Course,
  changed,
  doubtful,
  firstPair,
  type GroupRules,
  type Invariant,
  isThere,
  type JudgedAnswer,
  type Lifecycle,
  ofCourse,
  shown,
  stays,
} from '../../protocol/invariant.ts'

const answers: readonly Invariant<JudgedAnswer>[] = [
  doubtful('missing-value', 'an error with a message for a failed video', ({ response }) => {
    const { status, error } = response
    const isEmpty = !isThere(error) || (isFields(error) && error['message'] === '')
    return status === 'failed' && isEmpty && at(error ? '/error/message' : '/error', error)
  }),
  doubtful('wrong-value', 'an error only for a failed video', ({ response: { status, error } }) => {
    const isWell = ['pending', 'in_progress', 'completed'].includes(String(status))
    const got = `${shown(error)} in status ${shown(status)}`
    return isWell && isFields(error) && { pointer: '/error', got }
  }),
  doubtful(
    'missing-value',
    'completed_at and expires_at in the status of a completed video',
    ({ endpoint, response }) => {
      const { status, completed_at: completed } = response
      if (endpoint.job?.polls === undefined || status !== 'completed') return undefined
      if (!isThere(completed)) return at('/completed_at', completed)
      return !('expires_at' in response) && at('/expires_at', undefined)
    },
  ),
  doubtful('wrong-value', 'timestamps in Unix seconds, none before created_at', ({ response }) => {
    const { created_at: created } = response
    const early = ['completed_at', 'expires_at'].find(
      (name) => typeof response[name] === 'number' && response[name] < Number(created),
    )
    // A created_at in milliseconds is reported separately.
    if (early === undefined || Number(created) > 1e11) return undefined
    return { pointer: `/${early}`, got: `${shown(response[early])}, created_at ${created}` }
  }),
  doubtful('wrong-value', 'progress from 0 to 100', ({ response: { status, progress } }) => {
    const got = '1 for a completed video'
    return status === 'completed' && progress === 1 && { pointer: '/progress', got }
  }),
  breaking('missing-value', 'the id of the source video in remixed_from_video_id', (answer) => {
    const { remixed_from_video_id: named } = answer.response
    const source = Object.values(answer.params)[0]
    const isRemix = answer.endpoint.job?.submits !== undefined && source !== undefined
    return isRemix && named !== source && at('/remixed_from_video_id', named)
  }),
]

const course: Course = {
  field: 'status',
  stage: ({ status }) => ({ pending: 0, in_progress: 1, completed: 2, failed: 2 })[String(status)],
  outcome: ({ status }) => status,
}

const beginsAgain = (before: Fields, after: Fields): boolean =>
  (course.stage(after) ?? 2) < (course.stage(before) ?? 0)

const lifecycle: readonly Invariant<Lifecycle>[] = [
  ...ofCourse(course),
  doubtful('wrong-order', 'progress that never decreases', (lifecycle) =>
    firstPair(
      lifecycle,
      // The contract does not define the progress of a failed job.
      ({ progress, status }) => typeof progress === 'number' && status !== 'failed',
      (before, after) =>
        // A restart is reported for the status.
        Number(after['progress']) < Number(before['progress']) &&
        !beginsAgain(before, after) &&
        changed('progress', before, after),
    ),
  ),
  ...['created_at', 'model', 'seconds', 'size', 'remixed_from_video_id'].map(stays),
  doubtful('missing-value', 'remixed_from_video_id in the status of a remix', ([first, ...polls]) => {
    const pointer = '/remixed_from_video_id'
    const isRemix = typeof first?.['remixed_from_video_id'] === 'string'
    return (
      isRemix && polls.some((poll) => poll['remixed_from_video_id'] == null) && { pointer, got: 'nothing' }
    )
  }),
]

export const videosRules: GroupRules = {
  group: 'videos',
  answers,
  lifecycle,
  files: /^video\//,
}
