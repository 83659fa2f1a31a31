/**
 * The wire format of an operation: the dialects of the contract, the Gemini API and Vertex in one body; and
 * its videos with their number, content and URLs.
 */

import { markOffContract, withoutUnset } from '../../behaviours/jobs/job.ts'
import type { SeenJob } from '../../behaviours/jobs/kind.ts'
import { base64 } from '../../engine/bytes.ts'
import { defined, isFields } from '../../engine/fields.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import { fileType } from '../../protocol/held-file.ts'
import type { Media } from '../../protocol/media.ts'
import { json, mediaMark, originMark, type PlainResponse } from '../../protocol/response.ts'
import { type Operation, type OperationFacts, type OperationView, viewOf } from './operation.ts'
import { dialects, resolutions } from './schema.ts'

/** `projects/…/operations/<id>`: submissions return it, polls repeat it. */
function operationName({ id, facts }: Operation): string {
  const { project, location, publisher, model } = facts
  return `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}/operations/${id}`
}

/** The response to a submission is only a name. */
export const showSubmitted = ({ job }: SeenJob<OperationFacts>): PlainResponse =>
  json({ name: operationName(job) })

/** The paths of timeline fields in a response, if they differ from their names. */
const wirePaths = {
  status: 'metadata.state',
  progressPercent: 'metadata.progressPercent',
  filtered: 'response.generateVideoResponse.raiMediaFilteredReasons',
} as const

/**
 * The response to a poll: either `error` or `response` once it is done. Contract violations of a script are
 * kept as written.
 */
export function showOperation(seen: SeenJob<OperationFacts>): PlainResponse {
  const { job: found } = seen
  const view = viewOf(seen)
  const {
    done: scriptedDone,
    name = operationName(found),
    metadata: scriptedMetadata,
    response: scriptedResponse,
    error: scriptedError,
    dialect,
    progressPercent = view.progress,
    ...others
  } = view.fields
  const defaults = {
    '@type': 'type.googleapis.com/google.cloud.aiplatform.v1.PredictLongRunningMetadata',
    state: view.state,
    createTime: iso(found.bornAt),
    updateTime: iso(view.since),
    progressPercent,
  }
  const isWhole = scriptedMetadata !== undefined && !isFields(scriptedMetadata)
  const metadata = isWhole ? scriptedMetadata : { ...defaults, ...scriptedMetadata }
  const error = scriptedError === undefined ? view.error : scriptedError
  const done = scriptedDone ?? ((error !== undefined && error !== null) || view.state === 'SUCCEEDED')
  const head = { name, metadata, done }
  const hasResponse = !view.unset.includes('response')
  const result = (always: boolean): Result =>
    hasResponse && (always || view.state === 'SUCCEEDED' || scriptedResponse !== undefined)
      ? responseOf(found, view, { scripted: scriptedResponse, dialect })
      : { response: undefined, videoMedia: [] }
  const shown = (body: object, videoMedia: readonly Media[] = []): PlainResponse => {
    const response = json(withoutUnset(body, view.unset, wirePaths), { links: true, media: videoMedia })
    return ownDialect ? { ...response, offContract: true } : markOffContract(response, found)
  }
  // The contract has one dialect; the simulator sends all.
  const ownDialect =
    dialect !== undefined ||
    (scriptedResponse !== undefined && scriptedVideos(scriptedResponse) === undefined)
  if (found.offContract === true) {
    const { response, videoMedia } = result(false)
    return shown({ ...head, ...defined({ error, response }), ...others }, videoMedia)
  }
  if (done !== true) return shown({ ...head, done: false })
  if (error !== undefined) return shown({ ...head, error })
  const { response, videoMedia } = result(true)
  return shown({ ...head, response }, videoMedia)
}

function givenBytes(
  found: Operation,
  sample: number,
): Pick<GeneratedVideo, 'videoBytes' | 'mimeType'> | undefined {
  const own = givenVideo(found, sample)
  return own === undefined
    ? undefined
    : { videoBytes: base64(own.content as Uint8Array), mimeType: fileType(own, 'video.mp4') }
}

interface Result {
  readonly response: unknown
  readonly videoMedia: readonly Media[]
}

/**
 * The results in all dialects or in one, and their media in order. `scripted` is the response of a script.
 */
function responseOf(
  found: Operation,
  view: OperationView,
  { scripted, dialect }: { readonly scripted: unknown; readonly dialect: unknown },
): Result {
  const list = scriptedVideos(scripted)
  if (scripted !== undefined && list === undefined) return { response: scripted, videoMedia: [] }
  const videos = Array.from(
    { length: countVideos(found, view) },
    (_, sample): GeneratedVideo => ({
      uri: videoUrl(found, sample),
      videoBytes: mediaMark,
      mimeType: 'video/mp4',
      createTime: iso(view.since),
      ...givenBytes(found, sample),
      ...list?.[sample],
    }),
  )
  const response = {
    generatedVideos: videos,
    generateVideoResponse: {
      generatedSamples: videos.map(({ uri, videoBytes, mimeType }) => ({
        video: { uri, encodedVideo: videoBytes, encoding: mimeType },
      })),
      ...(view.filtered.length === 0
        ? {}
        : { raiMediaFilteredCount: view.filtered.length, raiMediaFilteredReasons: view.filtered }),
    },
    videos: videos.map(({ uri, videoBytes, mimeType }) => ({
      gcsUri: uri,
      bytesBase64Encoded: videoBytes,
      mimeType,
    })),
  }
  const videoMedia = videos.flatMap(({ videoBytes }, sample) =>
    videoBytes === mediaMark ? [describeVideo(found, sample)] : [],
  )
  const own = dialects.find((name) => name === dialect)
  if (own !== undefined) return { response: { [own]: response[own] }, videoMedia }
  return { response, videoMedia: [...videoMedia, ...videoMedia, ...videoMedia] }
}

const iso = (at: number): string => new Date(at).toISOString()

/** One video of a result in the contract's format (2.4). */
export interface GeneratedVideo {
  readonly uri: string
  readonly videoBytes: string
  readonly mimeType: string
  readonly createTime: string
}

/** The video of one sample. */
export function describeVideo({ facts }: Operation, sample: number): Media {
  const [long, short] = resolutions[facts.resolution]
  const [width, height] = facts.portrait ? [short, long] : [long, short]
  const from = facts.stills === undefined ? '' : `, ${facts.stills}`
  return {
    kind: 'video',
    width,
    height,
    seconds: facts.seconds,
    seed: `${facts.seed} ${sample}`,
    label: `${facts.model}, ${width}x${height}, ${facts.seconds} s${from}`,
    ...(facts.silent ? { silent: true } : {}),
  }
}

/** The file of one sample, if a scenario gives it. */
export function givenVideo({ facts: { contents } }: Operation, sample: number): HeldBytes | undefined {
  return contents?.[Math.min(sample, contents.length - 1)]
}

/** The number of videos that can be downloaded now. */
export function countVideos(found: Operation, view: OperationView): number {
  return view.state === 'SUCCEEDED'
    ? expectedVideos(found, view)
    : (scriptedVideos(view.fields['response'])?.length ?? 0)
}

/** The expected number of videos after success. */
export function expectedVideos({ facts }: Operation, { filtered, fields }: OperationView): number {
  return scriptedVideos(fields['response'])?.length ?? Math.max(0, facts.samples - filtered.length)
}

/** The videos that a script lists in a response. */
export function scriptedVideos(response: unknown): readonly Partial<GeneratedVideo>[] | undefined {
  const list = isFields(response) ? response['generatedVideos'] : undefined
  return Array.isArray(list) ? list : undefined
}

/**
 * The URL in results, in the form of the Gemini API: its clients look for `files/<id>`, and accept only
 * lower-case letters and digits in the id.
 */
function videoUrl(found: Operation, sample: number): string {
  return `${originMark}/v1beta/files/${fileIdOf(found, sample)}:download?alt=media`
}

/**
 * The file id of a video: the id of the operation without dashes, then the index of the sample. It begins
 * with the tag of the session, which is put in front if the operation's id does not carry it.
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

/** The last part of a video's URL under `/media/operations/{operation_id}`. */
export function videoFileName({ facts: { tag } }: Operation, sample: number): string {
  return `${tag === undefined ? '' : `${tag}-`}${sample}.mp4`
}
