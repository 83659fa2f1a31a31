/** POST /v1/videos: submits a video (contract 4.6). Replies at once; the video follows its timeline. */

import { markOffContract } from '../../behaviours/jobs/job.ts'
import { digest } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { json } from '../../protocol/reply.ts'
import { checkReference } from './named-reference.ts'
import { readCreateForm } from './read-create-form.ts'
import { filesToStore, resolveReference } from './reference.ts'
import {
  createBody,
  createdVideo,
  defaultModel,
  defaultSeconds,
  defaultSize,
  type durations,
} from './schema.ts'
import { videosKind } from './scripted.ts'
import { addVideo } from './video.ts'
import { commonFields } from './video-object.ts'

export const createVideo = defineEndpoint({
  operation: 'videos.create',
  method: 'POST',
  path: '/v1/videos',
  summary: 'Submits a video to be generated',
  accepts: ['form', 'json'],
  submits: videosKind,
  sampleCall: () => ({ model: 'video-1', prompt: 'a question' }),
  readForm: readCreateForm,
  files: { store: filesToStore },
  body: createBody,
  reply: createdVideo,
  // The video depends on the image, not on its address.
  contentIgnores: ['input_reference'],
  promptOf: ({ prompt }) => prompt,
  act(call, context) {
    const { body } = call
    const model = body.model ?? defaultModel
    checkReference(body.input_reference, context)
    checkModel(model, call.key, 'videos', context.settings)
    const reference = resolveReference(body.input_reference, context, call.now)
    const seed = call.content.fork('video').hex(16)
    const facts = {
      model,
      prompt: body.prompt,
      seconds: String(body.seconds ?? defaultSeconds) as (typeof durations)[number],
      size: body.size ?? defaultSize,
      seed: reference === undefined ? seed : digest(`${seed} ${reference.identity}`).slice(0, 16),
      remixedFrom: undefined,
      ...(reference === undefined ? {} : { reference: reference.source }),
    } as const
    const snapshot = addVideo(facts, { bornAt: call.now }, call, context)
    return markOffContract(json(commonFields(snapshot)), snapshot.video)
  },
})
