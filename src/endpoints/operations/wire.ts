/**
 * An operation on the wire: the dialects of the contract, the Gemini API and Vertex in one body
 * (wire-formats section 6).
 */

import { markOffContract, withoutUnset } from '../../behaviours/jobs/job.ts'
import { base64 } from '../../engine/bytes.ts'
import type { World } from '../../engine/world.ts'
import { fileType } from '../../protocol/held-file.ts'
import type { Media } from '../../protocol/media.ts'
import { json, mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Operation, OperationView } from './operation.ts'
import {
  countVideos,
  describeVideo,
  type GeneratedVideo,
  givenVideo,
  scriptedVideos,
  videoUrl,
} from './samples.ts'
import { dialects } from './schema.ts'

/** `projects/…/operations/<id>`: submissions return it, polls repeat it. */
export function operationName({ id, facts }: Operation): string {
  const { project, location, publisher, model } = facts
  return `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}/operations/${id}`
}

/** Where the fields of a timeline stand in a reply, if not under their names. */
export const wirePaths = {
  status: 'metadata.state',
  progressPercent: 'metadata.progressPercent',
  filtered: 'response.generateVideoResponse.raiMediaFilteredReasons',
} as const

/**
 * The reply to a poll: `error` or `response` once it is done, never both. What breaks the contract on purpose
 * is shown as written.
 */
export function operationReply(found: Operation, view: OperationView, world: World): Reply {
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
  const metadata =
    scriptedMetadata === undefined
      ? defaults
      : isObject(scriptedMetadata)
        ? { ...defaults, ...scriptedMetadata }
        : scriptedMetadata
  const error = scriptedError === undefined ? view.error : scriptedError
  const done = scriptedDone ?? ((error !== undefined && error !== null) || view.state === 'SUCCEEDED')
  const head = { name, metadata, done }
  const hasResponse = !view.unset.includes('response')
  const result = (always: boolean): Result =>
    hasResponse && (always || view.state === 'SUCCEEDED' || scriptedResponse !== undefined)
      ? responseOf(found, view, { scripted: scriptedResponse, dialect }, world)
      : { response: undefined, videoMedia: [] }
  const shown = (body: object, videoMedia: readonly Media[] = []): Reply => {
    const reply = json(withoutUnset(body, view.unset, wirePaths), { links: true, media: videoMedia })
    return ownDialect ? { ...reply, offContract: true } : markOffContract(reply, found)
  }
  // The contract names one dialect only, and we always show all.
  const ownDialect =
    dialect !== undefined ||
    (scriptedResponse !== undefined && scriptedVideos(scriptedResponse) === undefined)
  if (found.offContract === true) {
    const { response, videoMedia } = result(false)
    return shown(
      {
        ...head,
        ...(error === undefined ? {} : { error }),
        ...(response === undefined ? {} : { response }),
        ...others,
      },
      videoMedia,
    )
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
 * The results in all dialects or in one, and the media in them, in order. `scripted` is the response of a
 * script.
 */
function responseOf(
  found: Operation,
  view: OperationView,
  { scripted, dialect }: { readonly scripted: unknown; readonly dialect: unknown },
  world: World,
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
    videoBytes === mediaMark ? [describeVideo(found, sample, world)] : [],
  )
  const own = dialects.find((name) => name === dialect)
  if (own !== undefined) return { response: { [own]: response[own] }, videoMedia }
  return { response, videoMedia: [...videoMedia, ...videoMedia, ...videoMedia] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const iso = (at: number): string => new Date(at).toISOString()
