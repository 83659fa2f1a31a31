/** A long-running operation as a resource of a session: created, found, polled. */
import type { SourceRef } from '../../behaviours/image-series.ts'
import { type Course, defineJobKind, givenOnCourse } from '../../behaviours/jobs/job-kind.ts'
import { defined } from '../../engine/fields.ts'
import { mintUuid } from '../../engine/random.ts'
import { ageOf, type Resource } from '../../engine/resource.ts'
import { fold } from '../../engine/timeline.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Resolution, SubmitBody } from './schema.ts'

/** The parts of its name before its id, as the polling path must repeat them. */
export interface OperationPlace {
  readonly project: string
  readonly location: string
  readonly publisher: string
  readonly model: string
}

/** What the first and the last second of a video show. */
export interface Stills {
  readonly first?: SourceRef
  readonly last?: SourceRef
  readonly fit: 'contain' | 'cover'
}

/** What never changes about an operation. */
export interface OperationFacts extends OperationPlace {
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
   * The tag of the session, if a given id does not carry it: the URLs of the videos
   * then do.
   */
  readonly tag?: string
  /** The files of its videos, where a scenario gives them; the last one stands for all further ones. */
  readonly contents?: readonly HeldBytes[] | undefined
}

export type Operation = Resource<OperationFacts>

export type OperationState = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'

/** What an operation shows at a time. */
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
/** Pending, running after a tenth of the duration, done at its end. */
export const operationCourse: Course = {
  first: 'PENDING',
  moving: 'RUNNING',
  done: 'SUCCEEDED',
  failed: 'FAILED',
  progress: 'progressPercent',
  steps: [10, 50],
  begins: {},
  errorOf: (failure) => ({
    code: (rpcCodes as readonly unknown[]).indexOf(failure?.code) + 1 || internal,
    message: failure?.message ?? defaultMessage,
  }),
}

const notFound = (message: string): ApiError =>
  new ApiError('not_found_error', message, { param: 'operation_id' })

/** Operations as a kind, submitted and given. */
export const operationJobs = defineJobKind<OperationFacts>({
  resource: 'videoOperation',
  noun: 'operation',
  expected: 'the last part of a name that :predictLongRunning has returned',
  catalog: 'videoOperations',
  defaultModel: 'veo-3.0-generate-001',
  first: operationCourse.first,
  notFound: (sentence) => notFound(`${sentence}.`),
  mintId: mintUuid,
  readGiven(fields, given, { settings, model, chance, tag }) {
    const { prompt, aspectRatio, resolution, generateAudio, durationSeconds, sampleCount, ...shown } =
      fields as typeof fields & SubmitBody['parameters'] & { readonly prompt?: string }
    const facts: OperationFacts = {
      ...settings.videoOperations.place,
      model,
      prompt: prompt ?? '',
      seconds: durationSeconds ?? 8,
      portrait: aspectRatio === '9:16',
      resolution: resolution ?? defaultResolution,
      samples: sampleCount ?? given.contents?.length ?? 1,
      silent: generateAudio === false,
      contents: given.contents,
      seed: chance.fork('operation').hex(16),
      ...defined({ tag }),
    }
    const status = shown['status'] ?? operationCourse.done
    const { duration } = settings.videoOperations
    return { facts, ...givenOnCourse(operationCourse, shown, given, { status, duration }) }
  },
})

/**
 * The state, without counting as a poll. Throws 404 when it has vanished. What breaks the contract on purpose
 * is shown as written.
 */
export function operationView(found: Operation, now: number): OperationView {
  const { state, unset, reached, notFound: isNotFound } = fold(found.timeline, ageOf(found, now))
  if (isNotFound)
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
            ...defined({ error }),
          }
        : others,
    unset,
  }
}
