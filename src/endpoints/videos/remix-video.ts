/** POST /v1/videos/{video_id}/remix: one change to a completed video (contract 4.6). */

import { birthFrom, markOffContract } from '../../behaviours/jobs/job.ts'
import { digest } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { ApiError } from '../../protocol/errors.ts'
import { json } from '../../protocol/reply.ts'
import { remixBody, remixedVideo } from './schema.ts'
import { sampleVideo, videosKind } from './scripted.ts'
import { addVideo, findVideo, shownFacts, snapshotOf } from './video.ts'
import { remixFields } from './video-object.ts'

export const remixVideo = defineEndpoint({
  operation: 'videos.remix',
  method: 'POST',
  path: '/v1/videos/{video_id}/remix',
  summary: 'Submits a variant of a completed video',
  accepts: ['json'],
  about: videosKind,
  concerns: { kind: videosKind, id: ({ video_id: id }) => id },
  submits: videosKind,
  sampleCall: () => ({ video_id: sampleVideo, prompt: 'a question' }),
  body: remixBody,
  reply: remixedVideo,
  idsIn: { params: ['video_id'] },
  promptOf: ({ prompt }) => prompt,
  act(call, context) {
    const source = findVideo(call.params.video_id, call.key, context)
    const snapshotOfSource = snapshotOf(source, call.now, context.settings)
    const { view } = snapshotOfSource
    const shown = shownFacts(snapshotOfSource)
    if (view.status !== 'completed') {
      throw new ApiError(
        'invalid_request_error',
        [
          `Only a completed video can be remixed: the status of \`${source.id}\` is ${view.status}, its`,
          `progress ${view.progress}.`,
        ].join(' '),
        { param: 'video_id' },
      )
    }
    const { body } = call
    // The model of the source was checked when this key submitted the source.
    if (body.model != null) checkModel(body.model, call.key, 'videos', context.settings)
    const model = body.model ?? shown.model
    const facts = {
      ...shown,
      model,
      prompt: body.prompt,
      // Not from the id in the path, which differs between sessions.
      seed: digest(`remix ${source.facts.seed} ${model} ${body.prompt}`).slice(0, 16),
      remixedFrom: source.id,
      // A remix of a remix begins like the first video.
      begins: source.facts.begins ?? source.facts.seed,
    }
    const snapshot = addVideo(facts, birthFrom(source, call.now), call, context)
    return markOffContract(json(remixFields(snapshot)), snapshot.video)
  },
})
