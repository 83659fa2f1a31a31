/** Judges what one job, video or operation showed over its life. */
import { type Fields, isFields } from '../engine/fields.ts'
import type { Route } from '../protocol/router.ts'
import {
  askedId,
  type Breach,
  type Deviation,
  doubtful,
  judge,
  type Law,
  shown,
  shownId,
} from './laws/law.ts'

/** One reply that shows such a thing: the answer to its submission, or to a poll. */
export interface Sight {
  readonly route: Route
  /** The parsed body. */
  readonly reply: unknown
}

/**
 * Of which thing a successful exchange shows the state: its kind and the id that the client knows it by.
 * Undefined where it shows none.
 */
export function lifeOf(
  { endpoint }: Route,
  asked: { readonly params: Readonly<Record<string, string>>; readonly request: unknown },
  reply: unknown,
): string | undefined {
  const kind = (endpoint.polls?.kind ?? endpoint.submits)?.name
  if (kind === undefined || !isFields(reply)) return undefined
  const request = isFields(asked.request) ? asked.request : {}
  const id = askedId({ endpoint, params: asked.params, request }) ?? shownId(reply)
  return id === undefined ? undefined : `${kind} ${id}`
}

/** What breaks the laws over a life. `sights` are in order of time and of one thing (`lifeOf`). */
export function judgeLife(sights: readonly Sight[]): Deviation[] {
  const last = sights.at(-1)?.route.endpoint
  const kind = (last?.polls?.kind ?? last?.submits)?.name
  if (last === undefined || kind === undefined) return []
  const life = sights.map(({ reply }) => reply).filter(isFields)
  return judge(lifeLaws[kind] ?? [], life, { operation: last.operation, where: 'body' })
}

/** What replies showed of one thing, in order of time. */
type Life = readonly Fields[]

/** How far a thing is, as its reply shows it: undefined where it shows nothing that the contract knows. */
const stages: Readonly<Record<string, (shows: Fields) => number | undefined>> = {
  imageJobs: ({ status }) => [0, 1, 2, 2][typeof status === 'number' ? status : -1],
  videos: ({ status }) => ({ pending: 0, in_progress: 1, completed: 2, failed: 2 })[String(status)],
  operations: ({ done }) => (done === true ? 2 : done === false ? 1 : undefined),
}

/** By which one sees how it ended. */
const outcomes: Readonly<Record<string, (shows: Fields) => unknown>> = {
  imageJobs: ({ status }) => status,
  videos: ({ status }) => status,
  operations: ({ error, response }) => (response ? 'response' : error ? 'error' : 'neither'),
}

/** The first two polls, one right after the other, that do not go together. */
function firstPair(
  life: Life,
  find: (before: Fields, after: Fields) => Breach | undefined,
): Breach | undefined {
  for (let at = 1; at < life.length; at += 1) {
    const breach = find(life[at - 1] as Fields, life[at] as Fields)
    if (breach !== undefined) return { ...breach, got: `${breach.got} (poll ${at})` }
  }
  return undefined
}

const common = { section: 'contract 3', severity: 'doubtful', kind: 'order' } as const

const stateField = (kind: string): string => (kind === 'operations' ? '/done' : '/status')

const goesForward = (kind: string): Law<Life> => ({
  ...common,
  states: 'a state that never goes back',
  breach(life) {
    const stage = stages[kind] ?? (() => undefined)
    return firstPair(
      life.filter((shows) => stage(shows) !== undefined),
      (before, after) => {
        if ((stage(after) as number) >= (stage(before) as number)) return undefined
        const field = stateField(kind).slice(1)
        return { pointer: stateField(kind), got: `${shown(before[field])}, then ${shown(after[field])}` }
      },
    )
  },
})

const staysEnded = (kind: string): Law<Life> => ({
  ...common,
  states: 'one end, which stays',
  breach(life) {
    const [stage, outcome] = [stages[kind], outcomes[kind]]
    if (stage === undefined || outcome === undefined) return undefined
    return firstPair(
      life.filter((shows) => stage(shows) === 2),
      (before, after) =>
        outcome(before) === outcome(after)
          ? undefined
          : { pointer: stateField(kind), got: `${shown(outcome(before))}, then ${shown(outcome(after))}` },
    )
  },
})

const fellBack = (before: Fields, after: Fields): boolean =>
  (stages['videos']?.(after) ?? 2) < (stages['videos']?.(before) ?? 0)

const stays = (field: string, section: string): Law<Life> => ({
  ...common,
  section,
  kind: 'value',
  states: `the same ${field} in every reply`,
  breach: (life) =>
    firstPair(
      life.filter((shows) => shows[field] !== undefined && shows[field] !== null),
      (before, after) =>
        // Another type is wrong in itself.
        before[field] === after[field] || typeof before[field] !== typeof after[field]
          ? undefined
          : { pointer: `/${field}`, got: `${shown(before[field])}, then ${shown(after[field])}` },
    ),
})

/** The laws over a life, by the kind of what lives. */
const lifeLaws: Readonly<Record<string, readonly Law<Life>[]>> = {
  imageJobs: [goesForward('imageJobs'), staysEnded('imageJobs')],
  videos: [
    goesForward('videos'),
    staysEnded('videos'),
    doubtful('contract 2.3', 'order', 'a progress that never falls', (life) =>
      firstPair(
        // What becomes of the progress of a failed one is its own affair.
        life.filter(({ progress, status }) => typeof progress === 'number' && status !== 'failed'),
        (before, after) =>
          // One that begins again is found by its state.
          Number(after['progress']) < Number(before['progress']) && !fellBack(before, after)
            ? { pointer: '/progress', got: `${shown(before['progress'])}, then ${shown(after['progress'])}` }
            : undefined,
      ),
    ),
    ...['created_at', 'model', 'seconds', 'size'].map((field) => stays(field, 'contract 2.3')),
    doubtful(
      'contract 2.3',
      'missing',
      'remixed_from_video_id in the status of a remix',
      ([first, ...polls]) =>
        typeof first?.['remixed_from_video_id'] === 'string' &&
        polls.some(({ remixed_from_video_id: source }) => source === undefined || source === null)
          ? { pointer: '/remixed_from_video_id', got: 'nothing' }
          : undefined,
    ),
  ],
  operations: [goesForward('operations'), staysEnded('operations')],
}
