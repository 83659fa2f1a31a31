/**
 * A long-running operation: its facts, its state at a time, and its wire format with the dialects of the
 * contract, the Gemini API and Vertex in one body.
 */
import { markOffContract, withoutUnset } from '../../behaviours/jobs/job.ts'
import type { SeenJob } from '../../behaviours/jobs/kind.ts'
import { defined, type Fields, isFields } from '../../engine/fields.ts'
import type { Resource } from '../../engine/resource.ts'
import type { Media } from '../../protocol/media.ts'
import { json, mediaMark, originMark, type PlainResponse } from '../../protocol/response.ts'
import { type Resolution, resolutions, type SubmitBody } from './schema.ts'

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
  /** The seed of its videos. */
  readonly seed: string
  /** The tag of the session, if a given id does not contain it: then the URLs of the videos do. */
  readonly tag?: string
}

export type Operation = Resource<OperationFacts>

type OperationState = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED'

/** An operation at a time. */
interface OperationView {
  readonly operation: Operation
  readonly state: OperationState
  readonly progress: number
  /** The time of the last state change, in milliseconds since the epoch. */
  readonly since: number
  readonly error: Fields | undefined
  /** The reasons of the safety filter, one per removed video. */
  readonly filtered: readonly string[]
  /** Other response fields that a script sets: `done`, `name`, `metadata`, `response`. */
  readonly fields: Fields
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

export function viewOf({ job, state, reached }: SeenJob<OperationFacts>): OperationView {
  const { status = 'PENDING', progressPercent, error, filtered, ...fields } = state
  const since =
    job.timeline.slice(0, reached).findLast((entry) => entry.patch?.['status'] !== undefined)?.at ?? 0
  const progress = typeof progressPercent === 'number' ? Math.trunc(progressPercent) : 0
  return {
    operation: job,
    state: status as OperationState,
    progress: Math.min(100, Math.max(0, progress)),
    since: job.bornAt + Math.max(0, since),
    error:
      status === 'FAILED' ? { ...defaultFailure, details: [], ...(error as object | undefined) } : undefined,
    filtered: Array.isArray(filtered) ? filtered : [],
    // Contract violations of a script are kept as written.
    fields: job.offContract === true ? { ...fields, ...defined({ progressPercent, error }) } : fields,
  }
}

/** `projects/…/operations/<id>`: submissions return it, polls repeat it. */
export function operationName(id: string, { project, location, publisher, model }: OperationPlace): string {
  return `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}/operations/${id}`
}

/** The response to a submission is only a name. */
export const showSubmitted = ({ job }: SeenJob<OperationFacts>): PlainResponse =>
  json({ name: operationName(job.id, job.facts) })

/** The paths of timeline fields in a response, if they differ from their names. */
const wirePaths = {
  status: 'metadata.state',
  progressPercent: 'metadata.progressPercent',
  filtered: 'response.generateVideoResponse.raiMediaFilteredReasons',
} as const

/** The response to a poll: either `error` or `response` once it is done. */
export function showOperation(seen: SeenJob<OperationFacts>): PlainResponse {
  const { job, unset } = seen
  const view = viewOf(seen)
  const { fields, state } = view
  const { name = operationName(job.id, job.facts), error = view.error, response } = fields
  const { done = state === 'SUCCEEDED' || (error !== undefined && error !== null) } = fields
  const head = { name, metadata: metadataOf(view), done }
  const shows = (isShown: boolean): Result =>
    isShown && !unset.includes('response') ? resultOf(view) : { response: undefined, media: [] }
  let result = shows(false)
  let body: object = head
  if (job.offContract === true) {
    result = shows(state === 'SUCCEEDED' || response !== undefined)
    const { progressPercent: _, ...scripted } = fields
    body = { ...scripted, ...head, ...defined({ error, response: result.response }) }
  } else if (done === true && error !== undefined) body = { ...head, error }
  else if (done === true) {
    result = shows(true)
    body = { ...head, response: result.response }
  }
  const shown = json(withoutUnset(body, unset, wirePaths), { links: true, media: result.media })
  // An empty result, without a list of videos.
  if (response !== undefined && scriptedVideos(response) === undefined) return { ...shown, offContract: true }
  return markOffContract(shown, job)
}

function metadataOf({ operation, state, progress, since, fields }: OperationView): unknown {
  const { metadata, progressPercent = progress } = fields
  if (metadata !== undefined && !isFields(metadata)) return metadata
  return {
    '@type': 'type.googleapis.com/google.cloud.aiplatform.v1.PredictLongRunningMetadata',
    state,
    createTime: iso(operation.bornAt),
    updateTime: iso(since),
    progressPercent,
    ...metadata,
  }
}

interface Result {
  readonly response: unknown
  /** The videos of the response in order, once for each dialect. */
  readonly media: readonly Media[]
}

/** The videos in all dialects: clients ignore the fields of the others. */
function resultOf(view: OperationView): Result {
  const { operation, filtered, since } = view
  const scripted = view.fields['response']
  const list = scriptedVideos(scripted)
  if (scripted !== undefined && list === undefined) return { response: scripted, media: [] }
  const videos = Array.from({ length: list?.length ?? countVideos(view) }, (_, sample) => ({
    uri: `${originMark}/v1beta/files/${fileIdOf(operation, sample)}:download?alt=media`,
    videoBytes: mediaMark,
    mimeType: 'video/mp4',
    createTime: iso(since),
    ...list?.[sample],
  }))
  const isFiltered = filtered.length > 0
  const response = {
    generatedVideos: videos,
    generateVideoResponse: {
      generatedSamples: videos.map(({ uri, videoBytes, mimeType }) => ({
        video: { uri, encodedVideo: videoBytes, encoding: mimeType },
      })),
      ...(isFiltered
        ? { raiMediaFilteredCount: filtered.length, raiMediaFilteredReasons: filtered }
        : undefined),
    },
    videos: videos.map(({ uri, videoBytes, mimeType }) => ({
      gcsUri: uri,
      bytesBase64Encoded: videoBytes,
      mimeType,
    })),
  }
  const media = videos.flatMap(({ videoBytes }, sample) =>
    videoBytes === mediaMark ? [describeVideo(operation, sample)] : [],
  )
  return { response, media: [...media, ...media, ...media] }
}

const iso = (at: number): string => new Date(at).toISOString()

/** One video of a result in the contract's format (2.4). */
type GeneratedVideo = Readonly<Record<'uri' | 'videoBytes' | 'mimeType' | 'createTime', string>>

/** The video of one sample. */
export function describeVideo({ facts }: Operation, sample: number): Media {
  const [long, short] = resolutions[facts.resolution]
  const [width, height] = facts.portrait ? [short, long] : [long, short]
  return {
    kind: 'video',
    width,
    height,
    seconds: facts.seconds,
    seed: `${facts.seed} ${sample}`,
    label: `${facts.model}, ${width}x${height}, ${facts.seconds} s`,
    ...(facts.silent ? { silent: true } : {}),
  }
}

/** The number of videos that can be downloaded now. */
export function countVideos({ operation, state, filtered, fields }: OperationView): number {
  if (state !== 'SUCCEEDED') return 0
  const scripted = scriptedVideos(fields['response'])
  return scripted?.length ?? Math.max(0, operation.facts.samples - filtered.length)
}

/** The videos that a script lists in a response. */
function scriptedVideos(response: unknown): readonly Partial<GeneratedVideo>[] | undefined {
  const list = isFields(response) ? response['generatedVideos'] : undefined
  return Array.isArray(list) ? list : undefined
}

/**
 * The file id of a video in its URL: the id of the operation without dashes, then the index of the sample. It
 * begins with the tag of the session, which is put in front if the operation's id does not carry it. Google
 * clients look for `files/<id>`, and accept only lower-case letters and digits in the id.
 */
export function fileIdOf({ id, facts: { tag = '' } }: Operation, sample: number): string {
  return `${tag}${id.replaceAll('-', '')}${sample}`
}

/** The id of the operation in a file id; undefined if `fileIdOf` cannot have made it. */
export function operationIdIn(fileId: string): string | undefined {
  const [, ...parts] =
    /^(?:[0-9a-f]{8})?([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\d{1,4}$/.exec(
      fileId,
    ) ?? []
  return parts.length === 0 ? undefined : parts.join('-')
}
