/** An operation in its wire form: the contract's, the Gemini API's and Vertex's dialect in one body (wire-formats section 6). */
import { json, mediaMark, originMark, type Media, type Reply } from '../../protocol/reply.ts'
import type { Operation, OperationView } from './operation.ts'

/** `projects/…/operations/<id>`: what submission answers and polling repeats. */
export function nameOf({ id, facts }: Operation): string {
  return `projects/${facts.project}/locations/${facts.location}/publishers/${facts.publisher}/models/${facts.model}/operations/${id}`
}

/** The film of one sample. */
export function filmOf({ facts }: Operation, sample: number): Media {
  const [width, height] = facts.portrait ? [720, 1280] : [1280, 720]
  return { kind: 'video', width, height, seconds: facts.seconds, seed: `${facts.seed} ${sample}`, label: `${facts.model}, ${width}x${height}, ${facts.seconds} s` }
}

/** What a poll answers: `error` xor `response` once it is done. */
export function operationReply(found: Operation, view: OperationView): Reply {
  const name = nameOf(found)
  const metadata = {
    '@type': 'type.googleapis.com/google.cloud.aiplatform.v1.PredictLongRunningMetadata',
    state: view.state,
    createTime: iso(found.bornAt),
    updateTime: iso(view.since),
    progressPercent: view.progress,
  }
  if (view.error !== undefined) return json({ name, metadata, done: true, error: view.error })
  if (view.state !== 'SUCCEEDED') return json({ name, metadata, done: false })

  const samples = Array.from({ length: Math.max(0, found.facts.samples - view.filtered.length) }, (_, sample) => ({ film: filmOf(found, sample), uri: `${originMark}/media/operations/${found.id}/${sample}.mp4` }))
  const response = {
    generatedVideos: samples.map(({ uri }) => ({ uri, videoBytes: mediaMark, mimeType: 'video/mp4', createTime: iso(view.since) })),
    generateVideoResponse: {
      generatedSamples: samples.map(({ uri }) => ({ video: { uri, encodedVideo: mediaMark, encoding: 'video/mp4' } })),
      ...(view.filtered.length === 0 ? {} : { raiMediaFilteredCount: view.filtered.length, raiMediaFilteredReasons: view.filtered }),
    },
    videos: samples.map(({ uri }) => ({ gcsUri: uri, bytesBase64Encoded: mediaMark, mimeType: 'video/mp4' })),
  }
  const films = samples.map(({ film }) => film)
  return json({ name, metadata, done: true, response }, { links: true, media: [...films, ...films, ...films] })
}

const iso = (at: number): string => new Date(at).toISOString()
