/** A long-running operation as a resource of a session: create, find, poll. */
import { type Course, defineJobKind, givenOnCourse } from '../../behaviours/jobs/job-kind.ts'
import { defined } from '../../engine/fields.ts'
import { mintUuid } from '../../engine/random.ts'
import { ageOf, type Resource } from '../../engine/resource.ts'
import { fold } from '../../engine/timeline.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Resolution, SubmitBody } from './schema.ts'

/** The parts of its name before its id; the polling path must repeat them. */
export interface OperationPlace {
  readonly project: string
  readonly location: string
  readonly publisher: string
  readonly model: string
}

/** Where operations are, unless the path says otherwise. */
export const defaultPlace = { project: 'gateway-sim', location: 'us-central1', publisher: 'google' } as const

/** The constant facts of an operation. */
export interface OperationFacts extends OperationPlace {
  /**
   * Only the start of the prompt: a prompt can have megabytes, and a session keeps thousands of operations.
   */
  readonly prompt: string
  readonly seconds: number
  readonly portrait: boolean
  readonly resolution: Resolution
  readonly samples: number
  /** Without sound. */
  readonly silent: boolean
  /** The names of its first and last image, for captions. */
  readonly stills?: string
  /** The seed of its videos. */
  readonly seed: string
  /** The tag of the session, if a given id does not contain it: then the URLs of the videos do. */
  readonly tag?: string
  /** The files of its videos, if a scenario gives them; the last one repeats. */
  readonly contents?: readonly HeldBytes[] | undefined
}

export type Operation = Resource<OperationFacts>

export type OperationState = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'

/** The state of an operation at a time. */
export interface OperationView {
  readonly state: OperationState
  readonly progress: number
  /** The time of the last state change, in milliseconds since the epoch. */
  readonly since: number
  readonly error:
    | {
        readonly code: number
        readonly message: string
        readonly details: readonly Record<string, unknown>[]
      }
    | undefined
  /** The reasons of the safety filter, one per removed video. */
  readonly filtered: readonly string[]
  /** Other response fields that a script sets: `done`, `name`, `metadata`, `response`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields that a script removes. */
  readonly unset: readonly string[]
}

const internal = 13

/** As upstream. */
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
  expected: 'the last part of the `name` from a submission response',
  catalog: 'videoOperations',
  defaultModel: 'veo-3.0-generate-001',
  first: operationCourse.first,
  notFound: (sentence) => notFound(`${sentence}.`),
  mintId: mintUuid,
  readGiven(fields, given, { settings, model, chance, tag }) {
    const { prompt, aspectRatio, resolution, generateAudio, durationSeconds, sampleCount, ...shown } =
      fields as typeof fields & SubmitBody['parameters'] & { readonly prompt?: string }
    const facts: OperationFacts = {
      ...defaultPlace,
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
 * The state, without counting as a poll. Throws a 404 in the state notFound. Contract violations of a script
 * are kept as written.
 */
export function operationView(found: Operation, now: number): OperationView {
  const { state, unset, reached, notFound: isNotFound } = fold(found.timeline, ageOf(found, now))
  if (isNotFound)
    throw notFound(`The operation \`${found.id}\` no longer exists: a scenario or an override removed it.`)
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
