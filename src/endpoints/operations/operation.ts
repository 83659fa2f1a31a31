/** A long-running operation as a resource of a session: created, found, polled, and its timeline. */

import {
  freshId,
  isOffContract,
  isOwnedBy,
  plannedTimeline,
  poll,
  withInitialStatus,
} from '../../behaviours/jobs/job.ts'
import { lostIdClause } from '../../behaviours/jobs/lost-id.ts'
import { mintUuid } from '../../engine/ids.ts'
import { ageOf, type Resource } from '../../engine/resource.ts'
import { fold, type Timeline, type TimelineEntry } from '../../engine/timeline.ts'
import type { Call, HeldBytes } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { type PlannedJob, plannedError } from '../../protocol/plan.ts'
import { clip } from '../../protocol/wording.ts'
import type { Resolution, SubmitBody } from './schema.ts'
import { type Stills, stillsIn } from './stills.ts'

/** What never changes about an operation. */
export interface OperationFacts {
  /** The five parts of its name, as the polling path must repeat them. */
  readonly project: string
  readonly location: string
  readonly publisher: string
  readonly model: string
  /** Only its beginning: a prompt can have megabytes, and a session keeps thousands of operations. */
  readonly prompt: string
  readonly seconds: number
  readonly portrait: boolean
  readonly resolution: Resolution
  readonly samples: number
  /** Without sound. */
  readonly silent: boolean
  /** The images that its videos begin and end with, and how they are fitted. */
  readonly stills?: Stills
  /** The seed of its videos. */
  readonly seed: string
  /**
   * The tag of the session, if a given id does not carry it: the addresses of the videos
   * then do.
   */
  readonly tag?: string
  /** The files of its videos, where a scenario gives them; the last one stands for all further ones. */
  readonly contents?: readonly HeldBytes[] | undefined
}

export type Operation = Resource<OperationFacts>

export type OperationState = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'

/** What an operation shows at an instant. */
export interface OperationView {
  readonly state: OperationState
  readonly progress: number
  /** Milliseconds since the epoch at which it took the state. */
  readonly since: number
  readonly error:
    | {
        readonly code: number
        readonly message: string
        readonly details: readonly Record<string, unknown>[]
      }
    | undefined
  /** The reasons of the safety filter, one for each video that it removed. */
  readonly filtered: readonly string[]
  /** Further wire fields that a script sets: `done`, `name`, `metadata`, `response`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields that a script does not show. */
  readonly unset: readonly string[]
}

/** The store's name for operations. */
export const operationKind = 'operation'
const internal = 13

/** As upstream (wire-formats section 6). */
export const defaultResolution = '720p'

/** google.rpc.Code, by number from 1 on (0 is OK). */
export const rpcCodes = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const
const defaultMessage = 'The video could not be generated.'
/** The failure of an operation when the plan names none. */
export const defaultFailure = { code: internal, message: defaultMessage }

/** Puts a new operation into the session. */
export function addOperation(
  body: SubmitBody,
  path: Pick<OperationFacts, 'project' | 'location' | 'publisher' | 'model'>,
  call: Pick<Call, 'key' | 'identity' | 'content' | 'plan' | 'now'>,
  context: Context,
): Operation {
  const { world, settings } = context
  const { parameters = {} } = body
  const stills = stillsIn(body, context, call.now)
  const added = world.store.add<OperationFacts>({
    kind: operationKind,
    id: freshId(operationKind, world, call.identity, (identity) => mintUuid(world.tag, identity)),
    owner: call.key.value,
    bornAt: call.now,
    timeline: operationTimeline(settings.operations.duration, call.plan.job),
    offContract: isOffContract(call.plan),
    facts: {
      ...path,
      prompt: clip(body.instances[0]?.prompt ?? '', 4000),
      seconds: parameters.durationSeconds ?? 8,
      portrait: parameters.aspectRatio === '9:16',
      resolution: parameters.resolution ?? defaultResolution,
      samples: parameters.sampleCount ?? 1,
      silent: parameters.generateAudio === false,
      ...(stills === undefined ? {} : { stills }),
      seed: call.content.fork('operation').hex(16),
    },
  })
  if (call.plan.refuse?.jobContinues === true) throw plannedError(call.plan.refuse, added.id)
  return added
}

/** The operation with an id, even if it has vanished. Throws 404 that says where it was looked for. */
export function findOperation(
  id: string,
  owner: string | undefined,
  { world, settings }: Context,
): Operation {
  const found = world.store.find<OperationFacts>(operationKind, id)
  if (found === 'dropped')
    throw notFound(
      [
        `The operation \`${id}\` was dropped: the session "${world.name}" keeps`,
        `${settings.memory.resources} resources, the oldest finished ones go first (setting`,
        'memory.resources).',
      ].join(' '),
    )
  if (found === undefined)
    throw notFound(
      [
        `There is no operation \`${id}\` in the session "${world.name}": expected the last part of a name`,
        `that :predictLongRunning has returned there${lostIdClause(id, world)}.`,
      ].join(' '),
    )
  if (owner !== undefined && !isOwnedBy(found, owner))
    throw notFound(
      [
        `There is no operation \`${id}\` for this API key in the session "${world.name}": another key`,
        'submitted it, use that one.',
      ].join(' '),
    )
  return found
}

/**
 * The state for a poll: in `auto`, a poll that would see no change moves the operation on. Throws 404 when it
 * has vanished.
 */
export function pollOperation(found: Operation, now: number, { world }: Context): OperationView {
  poll(found, world, now)
  return operationView(found, now)
}

/**
 * The state, without counting as a poll. Throws 404 when it has vanished. What breaks the contract on purpose
 * is shown as written.
 */
export function operationView(found: Operation, now: number): OperationView {
  const { state, unset, reached, gone } = fold(found.timeline, ageOf(found, now))
  if (gone)
    throw notFound(
      `The operation \`${found.id}\` was here and is gone, as a scenario or a change of its state has it.`,
    )
  const { status, progressPercent: progress, error, filtered, ...others } = state
  const named = (status ?? 'PENDING') as OperationState
  const since =
    found.timeline.slice(0, reached).findLast((entry) => entry.patch?.['status'] !== undefined)?.at ?? 0
  const whole = typeof progress === 'number' ? Math.min(100, Math.max(0, Math.trunc(progress))) : 0
  return {
    state: named,
    progress: whole,
    since: found.bornAt + since,
    error:
      named === 'FAILED'
        ? { code: internal, message: defaultMessage, details: [], ...(error as object | undefined) }
        : undefined,
    filtered: Array.isArray(filtered) ? filtered : [],
    fields:
      found.offContract === true
        ? {
            ...others,
            ...(progress === undefined || progress === whole ? {} : { progressPercent: progress }),
            ...(error === undefined ? {} : { error }),
          }
        : others,
    unset,
  }
}

/**
 * Pending, running after a tenth of the duration, done at its end (contract section 3 shows no transitions;
 * these are ours).
 */
export function operationTimeline(duration: number, job: PlannedJob = {}): Timeline {
  return job.timeline !== undefined
    ? withInitialStatus(job.timeline, 'PENDING')
    : plannedTimeline(job, duration, (way) => defaultTimeline(duration, way))
}

function defaultTimeline(duration: number, job: PlannedJob): Timeline {
  const whole = job.atOnce === true ? 0 : duration
  const at = (share: number): number => Math.round((whole * share) / 100)
  const failAt = job.failAt ?? (job.failure === undefined ? undefined : 100)
  const end = job.stuck === true ? 50 : Math.min(failAt ?? 100, job.vanishAt ?? 100)
  const entries: TimelineEntry[] = [{ at: 0, patch: { status: 'PENDING', progressPercent: 0 } }]
  for (const [from, to] of [
    [10, 50],
    [50, 100],
  ] as const) {
    if (from < end)
      entries.push({
        at: at(from),
        patch: { status: 'RUNNING' },
        ramps: { progressPercent: { from, to, over: at(to) - at(from) } },
      })
  }
  if (job.stuck === true) entries.push({ at: at(end), patch: { status: 'RUNNING', progressPercent: end } })
  else if (job.vanishAt === end) entries.push({ at: at(end), gone: true })
  else if (failAt !== undefined)
    entries.push({
      at: at(end),
      patch: {
        status: 'FAILED',
        progressPercent: end,
        error: {
          code: (rpcCodes as readonly unknown[]).indexOf(job.failure?.code) + 1 || internal,
          message: job.failure?.message ?? defaultMessage,
        },
      },
    })
  else entries.push({ at: at(end), patch: { status: 'SUCCEEDED', progressPercent: 100 } })
  return entries
}

const notFound = (message: string): ApiError =>
  new ApiError('not_found_error', message, { param: 'operation_id' })
