/**
 * An operation on the wire: the dialects of the contract, the Gemini API and Vertex in one body
 * (wire-formats section 6).
 */

import { markOffContract } from '../../behaviours/jobs/job.ts'
import type { World } from '../../engine/world.ts'
import type { Media } from '../../protocol/media.ts'
import { json, mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Operation, OperationView } from './operation.ts'
import { countVideos, describeVideo, type GeneratedVideo, scriptedVideos } from './samples.ts'
import { videoUrl } from './video-address.ts'

/** `projects/…/operations/<id>`: submissions return it, polls repeat it. */
export function operationName({ id, facts }: Operation): string {
  const { project, location, publisher, model } = facts
  return `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}/operations/${id}`
}

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
  if (found.offContract === true) {
    const { response, videoMedia } =
      view.state === 'SUCCEEDED' || scriptedResponse !== undefined
        ? responseOf(found, view, scriptedResponse, world)
        : { response: undefined, videoMedia: [] }
    return markOffContract(
      json(
        {
          ...head,
          ...(error === undefined ? {} : { error }),
          ...(response === undefined ? {} : { response }),
          ...others,
        },
        { links: true, media: videoMedia },
      ),
      found,
    )
  }
  if (done !== true) return json({ ...head, done: false })
  if (error !== undefined) return json({ ...head, error })
  const { response, videoMedia } = responseOf(found, view, scriptedResponse, world)
  return json({ ...head, response }, { links: true, media: videoMedia })
}

/**
 * The results in all dialects, and the media in them, in order. `scripted` is the response of a script.
 */
function responseOf(
  found: Operation,
  view: OperationView,
  scripted: unknown,
  world: World,
): { response: unknown; videoMedia: readonly Media[] } {
  const list = scriptedVideos(scripted)
  if (scripted !== undefined && list === undefined) return { response: scripted, videoMedia: [] }
  const videos = Array.from(
    { length: countVideos(found, view) },
    (_, sample): GeneratedVideo => ({
      uri: videoUrl(found, sample),
      videoBytes: mediaMark,
      mimeType: 'video/mp4',
      createTime: iso(view.since),
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
  return { response, videoMedia: [...videoMedia, ...videoMedia, ...videoMedia] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const iso = (at: number): string => new Date(at).toISOString()
