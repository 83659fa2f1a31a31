/**
 * An operation in its wire form: the contract's, the Gemini API's and Vertex's dialect in one body
 * (wire-formats section 6).
 */

import { markOffContract } from '../../behaviours/jobs/job.ts'
import type { World } from '../../engine/world.ts'
import type { Media } from '../../protocol/media.ts'
import { json, mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Operation, OperationView } from './operation.ts'
import { countVideos, describeVideo, type GeneratedVideo, scriptedVideos } from './samples.ts'
import { videoUrl } from './video-address.ts'

/** `projects/…/operations/<id>`: what submission answers and polling repeats. */
export function operationName({ id, facts }: Operation): string {
  const { project, location, publisher, model } = facts
  return `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}/operations/${id}`
}

/**
 * What a poll answers: `error` xor `response` once it is done. What breaks the contract on purpose is shown
 * as it was written.
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
  const natural = {
    '@type': 'type.googleapis.com/google.cloud.aiplatform.v1.PredictLongRunningMetadata',
    state: view.state,
    createTime: iso(found.bornAt),
    updateTime: iso(view.since),
    progressPercent,
  }
  const metadata =
    scriptedMetadata === undefined
      ? natural
      : isObject(scriptedMetadata)
        ? { ...natural, ...scriptedMetadata }
        : scriptedMetadata
  const error = scriptedError === undefined ? view.error : scriptedError
  const done = scriptedDone ?? ((error !== undefined && error !== null) || view.state === 'SUCCEEDED')
  const head = { name, metadata, done }
  if (found.offContract === true) {
    const { response, films } =
      view.state === 'SUCCEEDED' || scriptedResponse !== undefined
        ? responseOf(found, view, scriptedResponse, world)
        : { response: undefined, films: [] }
    return markOffContract(
      json(
        {
          ...head,
          ...(error === undefined ? {} : { error }),
          ...(response === undefined ? {} : { response }),
          ...others,
        },
        { links: true, media: films },
      ),
      found,
    )
  }
  if (done !== true) return json({ ...head, done: false })
  if (error !== undefined) return json({ ...head, error })
  const { response, films } = responseOf(found, view, scriptedResponse, world)
  return json({ ...head, response }, { links: true, media: films })
}

/**
 * The results in all dialects, and the films that stand in them, in order. `said` is what a script says of
 * them.
 */
function responseOf(
  found: Operation,
  view: OperationView,
  said: unknown,
  world: World,
): { response: unknown; films: readonly Media[] } {
  const list = scriptedVideos(said)
  if (said !== undefined && list === undefined) return { response: said, films: [] }
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
  const films = videos.flatMap(({ videoBytes }, sample) =>
    videoBytes === mediaMark ? [describeVideo(found, sample, world)] : [],
  )
  return { response, films: [...films, ...films, ...films] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const iso = (at: number): string => new Date(at).toISOString()
