/** A long-running operation: its facts, and its state at a time. */
import type { SeenJob } from '../../behaviours/jobs/kind.ts'
import { defined } from '../../engine/fields.ts'
import type { Resource } from '../../engine/resource.ts'
import type { HeldBytes } from '../../protocol/call.ts'
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
  /** Only its first 4,000 characters: a session keeps thousands of operations. */
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
  readonly operation: Operation
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

/** What a request says about its videos; the defaults are upstream's. */
export const factsIn = (parameters: SubmitBody['parameters'] = {}) => ({
  seconds: parameters.durationSeconds ?? 8,
  portrait: parameters.aspectRatio === '9:16',
  resolution: parameters.resolution ?? '720p',
  samples: parameters.sampleCount ?? 1,
  silent: parameters.generateAudio === false,
})

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

/** The default failure of an operation: INTERNAL. */
export const defaultFailure = { code: 13, message: 'The video could not be generated.' }

/** Contract violations of a script are kept as written. */
export function viewOf({ job, state, unset, reached }: SeenJob<OperationFacts>): OperationView {
  const { status, progressPercent: progress, error, filtered, ...others } = state
  const named = (status ?? 'PENDING') as OperationState
  const since =
    job.timeline.slice(0, reached).findLast((entry) => entry.patch?.['status'] !== undefined)?.at ?? 0
  const whole = typeof progress === 'number' ? Math.min(100, Math.max(0, Math.trunc(progress))) : 0
  return {
    operation: job,
    state: named,
    progress: whole,
    since: job.bornAt + Math.max(0, since),
    error:
      named === 'FAILED' ? { ...defaultFailure, details: [], ...(error as object | undefined) } : undefined,
    filtered: Array.isArray(filtered) ? filtered : [],
    fields:
      job.offContract === true
        ? {
            ...others,
            ...(progress === undefined || progress === whole ? {} : { progressPercent: progress }),
            ...defined({ error }),
          }
        : others,
    unset,
  }
}
