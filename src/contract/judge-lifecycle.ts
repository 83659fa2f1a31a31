/** Judges the responses about one job, video or operation over its lifecycle. */
import { type Fields, isFields } from '../engine/fields.ts'
import type { Route } from '../protocol/router.ts'
import {
  askedId,
  type Counterexample,
  doubtful,
  firstCounterexample,
  type Invariant,
  judge,
  shownId,
  thenShown,
  type Violation,
} from './invariants/invariant.ts'

export interface Sight {
  readonly route: Route
  readonly response: unknown
}

/** The kind and the id of the job in a successful response; undefined for none. */
export function lifecycleOf(
  { endpoint }: Route,
  asked: { readonly params: Readonly<Record<string, string>>; readonly request: unknown },
  response: unknown,
): string | undefined {
  const kind = (endpoint.job?.polls?.kind ?? endpoint.job?.submits)?.name
  if (kind === undefined || !isFields(response)) return undefined
  const request = isFields(asked.request) ? asked.request : {}
  const id = askedId({ endpoint, params: asked.params, request }) ?? shownId(response)
  return id === undefined ? undefined : `${kind} ${id}`
}

/** The violations of a lifecycle. `sights` belong to one job (`lifecycleOf`), in chronological order. */
export function judgeLifecycle(sights: readonly Sight[]): Violation[] {
  const last = sights.at(-1)?.route.endpoint
  const kind = (last?.job?.polls?.kind ?? last?.job?.submits)?.name
  if (last === undefined || kind === undefined) return []
  const lifecycle = sights.map(({ response }) => response).filter(isFields)
  return judge(lifecycleInvariants[kind] ?? [], lifecycle, { operation: last.operation, where: 'body' })
}

/** The responses about one job, in chronological order. */
type Lifecycle = readonly Fields[]

/** Where a response of each kind has its progress and outcome. */
interface Course {
  readonly field: string
  /** 2: it has ended. Undefined for a state that is not in the contract. */
  stage(shows: Fields): number | undefined
  outcome(shows: Fields): unknown
}

const courses = {
  imageJobs: {
    field: 'status',
    stage: ({ status }) => [0, 1, 2, 2][typeof status === 'number' ? status : -1],
    outcome: ({ status }) => status,
  },
  videos: {
    field: 'status',
    stage: ({ status }) => ({ pending: 0, in_progress: 1, completed: 2, failed: 2 })[String(status)],
    outcome: ({ status }) => status,
  },
  videoOperations: {
    field: 'done',
    stage: ({ done }) => {
      if (done === true) return 2
      return done === false ? 1 : undefined
    },
    outcome: ({ error, response }) => {
      if (response) return 'response'
      return error ? 'error' : 'neither'
    },
  },
} satisfies Readonly<Record<string, Course>>

/** The first two consecutive polls that contradict each other; polls without a known state are skipped. */
function firstPair(
  lifecycle: Lifecycle,
  isShown: (shows: Fields) => boolean,
  find: (before: Fields, after: Fields) => Counterexample | false,
): Counterexample | undefined {
  const shows = lifecycle.filter(isShown)
  return firstCounterexample(shows.slice(1), (after, at) => {
    const counterexample = find(shows[at] as Fields, after)
    return counterexample && { ...counterexample, got: `${counterexample.got} (poll ${at + 1})` }
  })
}

const changed = (field: string, before: Fields, after: Fields): Counterexample => ({
  pointer: `/${field}`,
  got: thenShown(before[field], after[field]),
})

const ofCourse = ({ field, stage, outcome }: Course): Invariant<Lifecycle>[] => [
  doubtful('contract 3', 'order', 'a status that never moves backwards', (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => stage(shows) !== undefined,
      (before, after) => (stage(after) ?? 0) < (stage(before) ?? 0) && changed(field, before, after),
    ),
  ),
  doubtful('contract 3', 'order', 'a final status that never changes', (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => stage(shows) === 2,
      (before, after) =>
        outcome(before) !== outcome(after) && {
          pointer: `/${field}`,
          got: thenShown(outcome(before), outcome(after)),
        },
    ),
  ),
]

const stays = (field: string): Invariant<Lifecycle> =>
  doubtful('contract 2.3', 'value', `the same ${field} in every response`, (lifecycle) =>
    firstPair(
      lifecycle,
      (shows) => shows[field] !== undefined && shows[field] !== null,
      (before, after) =>
        // The schema reports a wrong type.
        before[field] !== after[field] &&
        typeof before[field] === typeof after[field] &&
        changed(field, before, after),
    ),
  )

const beginsAgain = (before: Fields, after: Fields): boolean =>
  (courses.videos.stage(after) ?? 2) < (courses.videos.stage(before) ?? 0)

const lifecycleInvariants: Readonly<Record<string, readonly Invariant<Lifecycle>[]>> = {
  imageJobs: ofCourse(courses.imageJobs),
  videos: [
    ...ofCourse(courses.videos),
    doubtful('contract 2.3', 'order', 'progress that never decreases', (lifecycle) =>
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
    doubtful(
      'contract 2.3',
      'missing',
      'remixed_from_video_id in the status of a remix',
      ([first, ...polls]) => {
        const pointer = '/remixed_from_video_id'
        const isRemix = typeof first?.['remixed_from_video_id'] === 'string'
        return (
          isRemix &&
          polls.some((poll) => poll['remixed_from_video_id'] == null) && { pointer, got: 'nothing' }
        )
      },
    ),
  ],
  videoOperations: ofCourse(courses.videoOperations),
}
